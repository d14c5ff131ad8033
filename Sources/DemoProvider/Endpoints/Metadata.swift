import FlyingFox
import LibCrypto
import Primitives

extension Endpoints {
  /// The metadata document (OpenID Connect Discovery §3, RFC 8414 §2).
  func metadata(_ flavour: Flavour) async -> HTTPResponse {
    let algorithm = state.options.algorithm.rawValue
    var document: [String: JSONValue] =
      switch flavour {
      case .entra(let audience): entraMetadata(audience)
      case .oidc: oidcMetadata
      }
    document["id_token_signing_alg_values_supported"] = [.string(algorithm)]
    document["response_modes_supported"] = ["query", "fragment", "form_post"]
    document["scopes_supported"] = ["openid", "profile", "email", "offline_access"]
    await state.poison.metadata(&document)
    return .json(.object(document), cache: "max-age=86400, private")
  }

  /// The published keys (RFC 7517).
  func keys() async -> HTTPResponse {
    guard let published = try? await state.publishedKeys() else {
      return HTTPResponse(statusCode: .internalServerError)
    }
    return .json(published, cache: "max-age=86400, private")
  }

  /// Microsoft Entra's: no `code_challenge_methods_supported`, no revocation, an issuer with braces.
  private func entraMetadata(_ audience: Audience) -> [String: JSONValue] {
    let authority = "\(baseURL)/\(audience.segment)"
    return [
      "issuer": .string("\(baseURL)/\(audience.issuerSegment)/v2.0"),
      "authorization_endpoint": .string("\(authority)/oauth2/v2.0/authorize"),
      "token_endpoint": .string("\(authority)/oauth2/v2.0/token"),
      "device_authorization_endpoint": .string("\(authority)/oauth2/v2.0/devicecode"),
      "end_session_endpoint": .string("\(authority)/oauth2/v2.0/logout"),
      "jwks_uri": .string("\(authority)/discovery/v2.0/keys"),
      "userinfo_endpoint": .string("\(baseURL)/oidc/userinfo"),
      "token_endpoint_auth_methods_supported": ["client_secret_post", "private_key_jwt", "client_secret_basic"],
      "subject_types_supported": ["pairwise"],
      "response_types_supported": ["code", "id_token", "code id_token", "id_token token"],
      "request_uri_parameter_supported": false,
      "http_logout_supported": true,
      "frontchannel_logout_supported": true,
      "claims_supported": [
        "sub", "iss", "aud", "exp", "iat", "auth_time", "acr", "nonce", "preferred_username", "name", "tid", "ver",
        "at_hash", "c_hash", "email",
      ],
      "tenant_region_scope": .null,
      "cloud_instance_name": "microsoftonline.com",
      "cloud_graph_host_name": "graph.windows.net",
      "msgraph_host": "graph.microsoft.com",
      "rbac_url": "https://pas.windows.net",
    ]
  }

  private var oidcMetadata: [String: JSONValue] {
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
      "revocation_endpoint_auth_methods_supported": ["none"],
      "grant_types_supported": [
        "authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code",
      ],
      "response_types_supported": ["code"],
      "subject_types_supported": ["pairwise"],
      "prompt_values_supported": ["none", "login", "consent", "select_account", "create"],
      "claims_parameter_supported": true,
      "claims_supported": [
        "sub", "iss", "aud", "exp", "iat", "auth_time", "nonce", "name", "preferred_username", "email", "at_hash",
      ],
    ]
  }
}
