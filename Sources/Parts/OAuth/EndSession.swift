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
  package static func isConfirmed(
    by parameters: [(name: String, value: String)],
    state: Secret
  ) throws(Refusal) -> Bool {
    guard let returned = try parameters.nonEmpty("state") else { return false }
    guard Secret(returned) == state else { throw Refusal("the state doesn't match this sign-out") }
    return true
  }
}

extension FormRequest {
  /// Revokes a refresh token (RFC 7009 §2.1), and at most providers its access tokens.
  package static func revocation(of token: Secret, to endpoint: String, from client: OAuthClient) -> FormRequest {
    FormRequest(to: endpoint, [("token", token.revealed), ("token_type_hint", "refresh_token")], from: client)
  }
}

/// The response to a revocation (RFC 7009 §2.2).
package enum RevocationOutcome: Sendable, Equatable {
  /// The token is invalid now, or was before: the status is the same for both.
  case revoked
  /// The provider doesn't revoke tokens of this kind (RFC 7009 §2.2.1).
  case unsupported
  /// The provider doesn't let this client revoke: many require a secret, which a native application doesn't have.
  case notAllowed(String)
  /// The token may still work.
  case failed(String)

  private static let bodyLimit = 64 * 1024

  package init(_ response: EndpointResponse) {
    let status = response.status
    guard !response.isSuccess else {
      self = .revoked
      return
    }
    do throws(AuthenticationError) {
      _ = try response.fields(limit: Self.bodyLimit)
      self = .failed("HTTP status \(status)")
    } catch {
      let response = error.provider
      // The MCP SDK for Python requires a secret of public clients too, as a form's field.
      let isNotAllowed =
        status == 401 || ["invalid_client", "unauthorized_client"].contains(response?.error)
        || response?.error == "invalid_request" && response?.description?.contains("client_secret") == true
      let message = response?.message ?? error.message
      self =
        response?.error == "unsupported_token_type"
        ? .unsupported : isNotAllowed ? .notAllowed(message) : .failed(message)
    }
  }
}
