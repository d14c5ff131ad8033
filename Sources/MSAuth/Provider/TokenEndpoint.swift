import OAuth
import Primitives
import Transport

/// Sends a token request and reads what comes back (RFC 6749 §3.2).
struct TokenEndpoint: Sendable {
  let surroundings: Surroundings
  let metadata: ProviderMetadata

  /// Exchanges a code or a refresh token for tokens.
  ///
  /// - Parameters:
  ///   - request: The grant and what goes with it.
  ///   - scopes: What was asked for, since a response may leave out `scope` when it grants all (RFC 6749 §5.1).
  /// - Returns: The tokens.
  /// - Throws: `OAuthError` as the provider told it, or ``AuthenticationError``.
  func exchange(_ request: TokenRequest, requesting scopes: Scopes) async throws -> TokenResponse {
    let message = HTTPRequest(
      .post,
      metadata.tokenEndpoint,
      headers: request.headers + [
        ("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/json"),
      ],
      body: request.body
    )
    let response = try await surroundings.transport.deliver(message)
    return try TokenResponse(
      parsing: response.body,
      status: response.status,
      mediaType: response.mediaType,
      retryAfter: response.header("Retry-After"),
      requestedScopes: scopes,
      now: surroundings.clock.now()
    )
  }
}
