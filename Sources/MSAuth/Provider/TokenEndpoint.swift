import OAuth
import Core
import Transport

/// Sends a token request and reads what comes back (RFC 6749 §3.2).
struct TokenEndpoint: Sendable {
  let context: Context
  let metadata: ProviderMetadata
  /// The key that the tokens are to be bound to; nil for bearer tokens.
  var key: DPoPKey?

  /// Exchanges a code or a refresh token for tokens.
  ///
  /// - Parameters:
  ///   - request: The grant and what goes with it.
  ///   - scopes: What was asked for, since a response may leave out `scope` when it grants all (RFC 6749 §5.1).
  /// - Returns: The tokens.
  /// - Throws: `OAuthError` with the provider's error, or ``AuthenticationError``.
  func tokens(for request: TokenRequest, requesting scopes: Scopes) async throws -> TokenResponse {
    var request = request
    request.authentication = ClientAuthentication(
      secret: context.configuration.clientSecret.map { Secret($0) },
      metadata: metadata
    )
    do {
      return try await send(request, requesting: scopes)
    } catch OAuthError.server(let refusal) where demandsAnySecret(refusal, of: request) {
      // Nothing was consumed: the client is authenticated before its code or refresh token (RFC 6749 §5.2).
      request.authentication = ClientAuthentication(secret: Secret(request.clientID), metadata: metadata)
      return try await send(request, requesting: scopes)
    }
  }

  /// Whether the provider turned away a client for having no secret, though it never said that it takes such clients.
  ///
  /// OpenID Connect Core §9 makes `client_secret_basic` the method of a provider that names none. Some of these take
  /// any secret from a registration without one, so the client id, which is no secret either, is worth one attempt.
  private func demandsAnySecret(_ refusal: OAuthErrorResponse, of request: TokenRequest) -> Bool {
    refusal.error == "invalid_client" && request.authentication == .none && request.authority.kind == .oidc
      && !metadata.tokenEndpointAuthMethods.contains("none")
  }

  private func send(_ request: TokenRequest, requesting scopes: Scopes) async throws -> TokenResponse {
    // A server in trouble may have consumed the code; seeing it again, it has to withdraw what it gave (RFC 6749 §4.1.2).
    let isCode = if case .authorizationCode = request.grant { true } else { false }
    let form = try request.form(to: metadata.tokenEndpoint)
    let response = try await context.dependencies.post(form, provenBy: key, isRepeatable: !isCode)
    return try TokenResponse(
      parsing: response.body,
      status: response.status,
      mediaType: response.mediaType,
      retryAfter: response.header("Retry-After"),
      type: key == nil ? .bearer : .dpop,
      requestedScopes: scopes,
      now: context.dependencies.clock.now()
    )
  }
}
