import FlyingFox
import MSAuthCore
import MSAuthCrypto

extension IdentityProvider {
  /// The metadata document (OpenID Connect Discovery §3, RFC 8414 §2).
  func metadata(_ kind: ProviderKind) -> HTTPResponse {
    let (authority, keyPath, endpoints) =
      switch kind {
      case .entra(let group): ("\(baseURL)/\(group.segment)", "/discovery/v2.0", "/oauth2/v2.0")
      case .b2c(let tenant, let policy): ("\(baseURL)/tfp/\(tenant.id)/\(policy)", "/discovery/v2.0", "/oauth2/v2.0")
      case .adfs: ("\(baseURL)/adfs", "/discovery", "/oauth2")
      case .oidc: ("\(baseURL)/oidc", "", "")
      }
    var document = ownMetadata(of: kind, at: authority)
    document["authorization_endpoint"] = .string(authority + endpoints + "/authorize")
    document["token_endpoint"] = .string(authority + endpoints + "/token")
    document["end_session_endpoint"] = .string(authority + endpoints + "/logout")
    document["jwks_uri"] = .string(authority + keyPath + "/keys")
    document["subject_types_supported"] = ["pairwise"]
    document["id_token_signing_alg_values_supported"] = [.string(keys.algorithm.rawValue)]
    document["response_modes_supported"] = ["query", "form_post"]
    // AD FS always issues refresh tokens and has no such scope.
    document["scopes_supported"] = .array(["openid", "profile", "email"] + (kind == .adfs ? [] : ["offline_access"]))
    if injector.offersPushing {
      let token = document["token_endpoint"]?.string ?? ""
      document["pushed_authorization_request_endpoint"] = .string(token.replacing("/token", with: "/par"))
    }
    if injector.requiresPushing { document["require_pushed_authorization_requests"] = true }
    injector.apply(\.metadata, to: &document)
    return .json(.object(document), cache: "max-age=86400, private")
  }

  /// The members in which the kinds differ.
  private func ownMetadata(of kind: ProviderKind, at authority: String) -> JSONValue.Object {
    switch kind {
    // Without `code_challenge_methods_supported` and revocation, and with a template as issuer.
    case .entra(let group):
      [
        "issuer": .string("\(issuerURL)/\(group.issuerSegment)/v2.0"),
        "device_authorization_endpoint": .string("\(authority)/oauth2/v2.0/devicecode"),
        "userinfo_endpoint": .string("\(baseURL)/oidc/userinfo"),
        "token_endpoint_auth_methods_supported": ["client_secret_post", "private_key_jwt", "client_secret_basic"],
        "response_types_supported": ["code", "id_token", "code id_token", "id_token token"],
        "tenant_region_scope": .null,
      ]
    // One document per user flow; the issuer has the tenant's ID and a trailing slash.
    case .b2c(let tenant, let policy):
      [
        "issuer": .string("\(issuerURL)/tfp/\(tenant.id)/\(policy)/v2.0/"),
        "response_types_supported": ["code", "code id_token", "code token", "id_token", "id_token token", "token"],
        "token_endpoint_auth_methods_supported": ["client_secret_post", "client_secret_basic"],
      ]
    // Without tenants and revocation.
    case .adfs:
      [
        "issuer": .string(authority),
        "userinfo_endpoint": .string("\(authority)/userinfo"),
        "token_endpoint_auth_methods_supported": ["client_secret_post", "private_key_jwt"],
        "response_types_supported": ["code", "id_token", "code id_token", "id_token token"],
        "grant_types_supported": ["authorization_code", "refresh_token", "client_credentials"],
      ]
    // Everything that msauth can use.
    case .oidc:
      [
        "issuer": .string(authority),
        "device_authorization_endpoint": .string("\(authority)/device"),
        "userinfo_endpoint": .string("\(authority)/userinfo"),
        "revocation_endpoint": .string("\(authority)/revoke"),
        "authorization_response_iss_parameter_supported": true,
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["none"],
        "grant_types_supported": [
          "authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code",
        ],
        "response_types_supported": ["code"],
        "dpop_signing_alg_values_supported": ["ES256"],
        "prompt_values_supported": ["none", "login", "consent", "select_account", "create"],
      ]
    }
  }

  /// RFC 7517.
  func publishedKeys() throws -> HTTPResponse {
    if let response = injector.keysOverride { return response }
    if injector.keys == .several { try keys.addOther() }
    return .json(keys.published, cache: "max-age=86400, private")
  }
}
