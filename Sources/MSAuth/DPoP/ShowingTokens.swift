import OAuth
import Core
import Transport

extension Dependencies {
  /// Asks a resource, and shows it the token as its type demands: alone (RFC 6750 §2.1), or with a proof (RFC 9449 §7.1).
  ///
  /// - Parameters:
  ///   - url: The resource.
  ///   - accessToken: The token.
  ///   - key: The key that the token is bound to; nil for a bearer token.
  /// - Returns: The answer, whatever its status.
  /// - Throws: ``AuthenticationError`` when there is none; `OAuthError` when the URL cannot be proved for.
  func get(_ url: String, showing accessToken: Secret, boundTo key: DPoPKey?) async throws -> HTTPResponse {
    var request = HTTPRequest(.get, url, headers: [("Accept", "application/json")])
    if key == nil {
      request.bearer = accessToken
    } else {
      request.dpop = accessToken
    }
    return try await deliver(request, provenBy: key)
  }
}
