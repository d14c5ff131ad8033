package import MSAuthCore

/// Ending the browser's session (OpenID Connect RP-Initiated Logout §2).
package enum EndSession {
  /// The URL that the browser opens; `logoutHint` is the `login_hint` claim of the ID token, which may have expired.
  package static func url(
    endpoint: String,
    idTokenHint: Secret? = nil,
    logoutHint: String? = nil,
    clientID: String? = nil,
    postLogoutRedirectURI: String? = nil,
    state: Secret? = nil,
    extraQuery: [String: String] = [:]
  ) throws(AuthenticationError) -> String {
    var list = ParameterList()
    try list.add("id_token_hint", idTokenHint?.revealed)
    try list.add("logout_hint", logoutHint)
    try list.add("client_id", clientID)
    try list.add("post_logout_redirect_uri", postLogoutRedirectURI)
    // §2: the state is returned by the redirect.
    try list.add("state", postLogoutRedirectURI == nil ? nil : state?.revealed)
    let sent: Set = ["id_token_hint", "client_id", "post_logout_redirect_uri", "state"]
    try list.addExtra(extraQuery, sent: sent, isSignIn: false)
    return try EndpointQuery.url(endpoint, adding: list.parameters)
  }

  /// Whether a request to the redirect URI proves the sign-out (§3): without the state, anyone could have sent it, and the
  /// true response may follow.
  package static func isConfirmed(by query: [(name: String, value: String)], state: Secret) throws(Rejection) -> Bool {
    guard let returned = try query.nonEmpty("state") else { return false }
    guard Secret(returned) == state else { throw Rejection("the state doesn't match this sign-out") }
    return true
  }
}
