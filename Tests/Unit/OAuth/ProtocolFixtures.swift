import MSAuthCore
import MSAuthOAuth

enum ProtocolFixtures {
  static let clientID = "11111111-2222-3333-4444-555555555555"
  static let tenantID = "9188040d-6c67-4c5b-b112-36a304b66dad"

  /// The example of RFC 7636 appendix B.
  static let verifier = Secret("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")

  /// Valid metadata with changes; null removes a member.
  static func document(_ issuer: String, _ changes: JSONValue.Object = [:]) -> [UInt8] {
    var members: JSONValue.Object = [
      "issuer": .string(issuer), "authorization_endpoint": "https://id.example/authorize",
      "token_endpoint": "https://id.example/token", "jwks_uri": "https://id.example/keys",
      "response_types_supported": ["code"],
    ]
    for (name, value) in changes { members[name] = value == .null ? nil : value }
    return JSONValue.object(members).serialized()
  }

  static func metadata(_ changes: JSONValue.Object = [:]) throws -> ProviderMetadata {
    let issuer = "https://id.example"
    return try ProviderMetadata(parsing: document(issuer, changes), for: Authority(issuer, kind: .oidc))
  }

  static func request(_ change: (inout AuthorizationRequest) -> Void = { _ in }) throws -> AuthorizationRequest {
    var request = AuthorizationRequest(
      clientID: clientID,
      scopes: try Scopes(["User.Read", "openid", "profile"]),
      state: Secret("state-value"),
      verifier: verifier
    )
    request.nonce = Secret("nonce-value")
    request.redirectURI = "http://localhost:4711"
    change(&request)
    return request
  }
}
