package import Core

/// A request that the provider end the browser's session (OpenID Connect RP-Initiated Logout §2).
package struct EndSessionRequest: Sendable {
  /// The last ID token of the account; it may have expired.
  package var idTokenHint: Secret?
  /// Entra: the value of the ID token's `login_hint` claim, so that no account has to be picked.
  package var logoutHint: String?
  package var clientID: String?
  package var postLogoutRedirectURI: String?
  package var state: Secret?
  package var extraQuery: [String: String]

  package init(
    idTokenHint: Secret? = nil,
    logoutHint: String? = nil,
    clientID: String? = nil,
    postLogoutRedirectURI: String? = nil,
    state: Secret? = nil,
    extraQuery: [String: String] = [:]
  ) {
    self.idTokenHint = idTokenHint
    self.logoutHint = logoutHint
    self.clientID = clientID
    self.postLogoutRedirectURI = postLogoutRedirectURI
    self.state = state
    self.extraQuery = extraQuery
  }

  /// The URL that the browser opens.
  package func url(endpoint: String) throws(Failure) -> String {
    var list = ParameterList()
    try list.add("id_token_hint", idTokenHint?.revealed)
    try list.add("logout_hint", logoutHint)
    try list.add("client_id", clientID)
    try list.add("post_logout_redirect_uri", postLogoutRedirectURI)
    // §2: without a redirect there is nobody to return the state to.
    try list.add("state", postLogoutRedirectURI == nil ? nil : state?.revealed)
    let own: Set = ["id_token_hint", "client_id", "post_logout_redirect_uri", "state"]
    try list.addExtra(extraQuery) { name, shown in
      own.contains(name) ? .alreadySent(shown) : nil
    }
    return try EndpointQuery.url(endpoint, adding: list.parameters)
  }
}

/// What came to the redirect URI after a sign-out (OpenID Connect RP-Initiated Logout §3).
package enum EndSessionResponse: Sendable, Equatable {
  /// The provider returned our state: the only proof there is.
  case confirmed
  /// No state: perhaps the provider, perhaps somebody who opened the address. The true response may still come.
  case noState

  /// Validates the parameters of one request to the redirect URI.
  package static func validate(
    _ parameters: [(name: String, value: String)],
    state: Secret
  ) throws(Refusal) -> EndSessionResponse {
    guard let returned = try RedirectParameters(parameters).values["state"], !returned.isEmpty else { return .noState }
    guard Secret(returned) == state else { throw Refusal("the state is another one") }
    return .confirmed
  }
}
