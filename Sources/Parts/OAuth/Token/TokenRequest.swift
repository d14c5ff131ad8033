package import MSAuthCore

/// A request to the token endpoint (RFC 6749 §3.2).
package struct TokenRequest: Sendable {
  static let deviceCodeGrant = "urn:ietf:params:oauth:grant-type:device_code"

  package enum Grant: Sendable {
    /// RFC 6749 §4.1.3 and RFC 7636 §4.5.
    case authorizationCode(code: Secret, redirectURI: String, verifier: Secret)
    /// RFC 6749 §6; `granted` limits the scopes.
    case refreshToken(Secret, scopes: Scopes, granted: Scopes? = nil)
    /// RFC 8628 §3.4.
    case deviceCode(Secret)
  }

  package let grant: Grant
  private let claims: String?
  /// RFC 8707 §2.2.
  private let resource: String?
  /// The caller's parameters, sent in the query to Microsoft, which reads some there.
  private let extraQuery: [String: String]

  package init(_ grant: Grant, claims: String? = nil, resource: String? = nil, extraQuery: [String: String] = [:]) {
    self.grant = grant
    self.claims = claims
    self.resource = resource
    self.extraQuery = extraQuery
  }

  package func form(to endpoint: String, from client: OAuthClient) throws(AuthenticationError) -> FormRequest {
    let fields = fields(at: client.authority)
    guard client.authority.isMicrosoft, !extraQuery.isEmpty else {
      return FormRequest(to: endpoint, fields, from: client)
    }
    var list = ParameterList()
    try list.addExtra(extraQuery, sent: Set(fields.map(\.name) + ["client_id", "client_secret"]))
    return FormRequest(to: try EndpointQuery.url(endpoint, adding: list.parameters), fields, from: client)
  }

  private func fields(at authority: Authority) -> [(name: String, value: String)] {
    var list: [(name: String, value: String)] = []
    switch grant {
    case .authorizationCode(let code, let redirectURI, let verifier):
      list += [
        ("grant_type", "authorization_code"),
        ("code", code.revealed),
        ("redirect_uri", redirectURI),
        ("code_verifier", verifier.revealed),
      ]
    case .refreshToken(let token, let scopes, let granted):
      list += [("grant_type", "refresh_token"), ("refresh_token", token.revealed)]
      // RFC 6749 §6: a refresh must not request a scope that wasn't granted.
      let requested = granted.map { scopes.intersection($0, ignoringCase: authority.ignoresScopeCase) } ?? scopes
      if !requested.isEmpty { list.append(("scope", requested.joined)) }
    case .deviceCode(let code):
      list += [("grant_type", Self.deviceCodeGrant), ("device_code", code.revealed)]
    }
    if authority.isMicrosoft { list.append(("client_info", "1")) }
    if let claims, !claims.isEmpty { list.append(("claims", claims)) }
    if let resource { list.append(("resource", resource)) }
    return list
  }
}
