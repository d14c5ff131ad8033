package import Core

/// A request to the token endpoint (RFC 6749 §3.2).
package struct TokenRequest: Sendable {
  /// What is exchanged for tokens.
  package enum Grant: Sendable {
    /// RFC 6749 §4.1.3 and RFC 7636 §4.5.
    case authorizationCode(code: Secret, redirectURI: String, verifier: Secret)
    /// RFC 6749 §6.
    ///
    /// - Parameters:
    ///   - scopes: What is asked for; nothing sends no `scope`, which means all that was granted.
    ///   - granted: What was granted, when that is known: nothing else is asked for.
    case refreshToken(Secret, scopes: Scopes, granted: Scopes? = nil)
    /// RFC 8628 §3.4.
    case deviceCode(Secret)
  }

  package let grant: Grant
  package let clientID: String
  package let authority: Authority
  /// A JSON object; see ``ClaimsParameter``.
  package let claims: String?
  package let correlationID: String?
  /// The resource that the access token is for (RFC 8707 §2.2).
  package let resource: String?
  /// The caller's own parameters, in the address; Microsoft's endpoints take some there.
  package var extraQuery: [String: String] = [:]
  /// How the client authenticates; a native one has nothing to do it with.
  package var authentication: ClientAuthentication = .none

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - grant: What is exchanged.
  ///   - clientID: The app's registration.
  ///   - authority: Whose token endpoint it goes to.
  ///   - claims: A JSON object, capabilities merged in already.
  ///   - correlationID: Names the request in Microsoft's logs.
  ///   - resource: The resource that the access token is for, as the authorization request named it.
  package init(
    _ grant: Grant,
    clientID: String,
    authority: Authority,
    claims: String? = nil,
    correlationID: String? = nil,
    resource: String? = nil
  ) {
    self.resource = resource
    self.grant = grant
    self.clientID = clientID
    self.authority = authority
    self.claims = claims
    self.correlationID = correlationID
  }

  /// The form to post.
  ///
  /// - Parameter endpoint: The provider's token endpoint.
  /// - Returns: The form; at Microsoft, the caller's own parameters are in its URL.
  /// - Throws: ``OAuthError/invalidParameter(name:reason:)`` for one that would stand in for one of ours.
  package func form(to endpoint: String) throws(OAuthError) -> FormRequest {
    FormRequest(
      to: try url(endpoint),
      fields: fields,
      clientID: clientID,
      authentication: authentication,
      diagnostics: ClientHeaders.fields(for: authority, correlationID: correlationID)
    )
  }

  private func url(_ endpoint: String) throws(OAuthError) -> String {
    guard authority.isMicrosoft, !extraQuery.isEmpty else { return endpoint }
    var list = ParameterList()
    let own = Set(fields.map(\.name) + ["client_id", "client_secret"])
    try list.addExtra(extraQuery) { name, shown in
      ReservedParameter.refusal(of: name, shown: shown) ?? (own.contains(name) ? .alreadySent(shown) : nil)
    }
    return try EndpointQuery.url(endpoint, adding: list.parameters)
  }

  private var fields: [(name: String, value: String)] {
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
      let asked = allowed(scopes, granted: granted)
      if !asked.isEmpty { list.append(("scope", asked.joined)) }
    case .deviceCode(let code):
      list += [("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", code.revealed)]
    }
    if authority.isMicrosoft { list.append(("client_info", "1")) }
    if let claims, !claims.isEmpty { list.append(("claims", claims)) }
    if let resource { list.append(("resource", resource)) }
    return list
  }

  /// RFC 6749 §6: a refresh must not ask for a scope that was not granted.
  private func allowed(_ scopes: Scopes, granted: Scopes?) -> Scopes {
    guard let granted else { return scopes }
    // Entra grants OpenID Connect's own scopes without naming them all in its answer.
    return scopes.intersection(authority.isMicrosoft ? granted.union(.reserved) : granted)
  }
}
