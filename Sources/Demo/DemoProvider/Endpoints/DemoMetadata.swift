import FlyingFox
import MSAuthCore
import MSAuthCrypto

extension IdentityProvider {
  /// Without `code_challenge_methods_supported` and revocation, and with a template as issuer.
  private func entraMetadata(_ audience: Audience) -> JSONValue.Object {
    let authority = "\(baseURL)/\(audience.segment)"
    return [
      "issuer": .string("\(issuerURL)/\(audience.issuerSegment)/v2.0"),
      "authorization_endpoint": .string("\(authority)/oauth2/v2.0/authorize"),
      "token_endpoint": .string("\(authority)/oauth2/v2.0/token"),
      "device_authorization_endpoint": .string("\(authority)/oauth2/v2.0/devicecode"),
      "end_session_endpoint": .string("\(authority)/oauth2/v2.0/logout"),
      "jwks_uri": .string("\(authority)/discovery/v2.0/keys"),
      "userinfo_endpoint": .string("\(baseURL)/oidc/userinfo"),
      "token_endpoint_auth_methods_supported": ["client_secret_post", "private_key_jwt", "client_secret_basic"],
      "response_types_supported": ["code", "id_token", "code id_token", "id_token token"],
      "tenant_region_scope": .null,
      "cloud_instance_name": "microsoftonline.com",
    ]
  }

  /// Everything that msauth can use.
  private var oidcMetadata: JSONValue.Object {
    let issuer = "\(baseURL)/oidc"
    return [
      "issuer": .string(issuer),
      "authorization_endpoint": .string("\(issuer)/authorize"),
      "token_endpoint": .string("\(issuer)/token"),
      "device_authorization_endpoint": .string("\(issuer)/device"),
      "userinfo_endpoint": .string("\(issuer)/userinfo"),
      "revocation_endpoint": .string("\(issuer)/revoke"),
      "end_session_endpoint": .string("\(issuer)/logout"),
      "jwks_uri": .string("\(issuer)/keys"),
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

  /// One document per user flow; the issuer has the tenant's ID and a trailing slash.
  private func b2cMetadata(_ tenant: Tenant, policy: String) -> JSONValue.Object {
    let authority = "\(baseURL)/tfp/\(tenant.id)/\(policy)"
    return [
      "issuer": .string("\(issuerURL)/tfp/\(tenant.id)/\(policy)/v2.0/"),
      "authorization_endpoint": .string("\(authority)/oauth2/v2.0/authorize"),
      "token_endpoint": .string("\(authority)/oauth2/v2.0/token"),
      "end_session_endpoint": .string("\(authority)/oauth2/v2.0/logout"),
      "jwks_uri": .string("\(authority)/discovery/v2.0/keys"),
      "response_types_supported": ["code", "code id_token", "code token", "id_token", "id_token token", "token"],
      "token_endpoint_auth_methods_supported": ["client_secret_post", "client_secret_basic"],
    ]
  }

  /// Without tenants and revocation.
  private var adfsMetadata: JSONValue.Object {
    let issuer = "\(baseURL)/adfs"
    return [
      "issuer": .string(issuer),
      "authorization_endpoint": .string("\(issuer)/oauth2/authorize"),
      "token_endpoint": .string("\(issuer)/oauth2/token"),
      "end_session_endpoint": .string("\(issuer)/oauth2/logout"),
      "userinfo_endpoint": .string("\(issuer)/userinfo"),
      "jwks_uri": .string("\(issuer)/discovery/keys"),
      "access_token_issuer": .string("\(issuer)/services/trust"),
      "token_endpoint_auth_methods_supported": ["client_secret_post", "private_key_jwt"],
      "response_types_supported": ["code", "id_token", "code id_token", "id_token token"],
      "grant_types_supported": ["authorization_code", "refresh_token", "client_credentials"],
    ]
  }

  /// The metadata document (OpenID Connect Discovery §3, RFC 8414 §2).
  func metadata(_ kind: ProviderKind) -> HTTPResponse {
    var document: JSONValue.Object =
      switch kind {
      case .entra(let audience): entraMetadata(audience)
      case .b2c(let tenant, let policy): b2cMetadata(tenant, policy: policy)
      case .adfs: adfsMetadata
      case .oidc: oidcMetadata
      }
    document["subject_types_supported"] = ["pairwise"]
    document["id_token_signing_alg_values_supported"] = [.string(keys.algorithm.rawValue)]
    document["response_modes_supported"] = ["query", "fragment", "form_post"]
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

  /// RFC 7517.
  func publishedKeys() throws -> HTTPResponse {
    if let response = injector.keysOverride { return response }
    if injector.keys == .several { try keys.addOther() }
    return .json(keys.published, cache: "max-age=86400, private")
  }
}
