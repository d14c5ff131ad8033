import OAuth
import Core
import TokenCache

/// Turns one refresh token into new tokens of the same account (RFC 6749 §6).
struct RefreshExchange: Sendable {
  let context: Context
  let parameters: SilentTokenParameters
  let lookup: TokenLookup
  let correlationID: String

  /// Sends the refresh token.
  ///
  /// - Parameters:
  ///   - token: The refresh token; it may be used up afterwards.
  ///   - metadata: The provider's.
  ///   - document: The cache, with what the account has got so far.
  /// - Returns: The tokens, validated and not yet stored.
  /// - Throws: ``AuthenticationError``.
  func run(
    _ token: RefreshTokenEntry,
    metadata: ProviderMetadata,
    in document: TokenCacheDocument
  ) async throws -> ValidatedTokens {
    do {
      // 1. Ask for nothing that was not granted.
      let scopes = try lookup.scopesForRefresh(asked: parameters.scopes, metadata: metadata)
      let key = lookup.key(token.keyID, in: document)
      let response = try await TokenEndpoint(
        dependencies: context.dependencies,
        metadata: metadata,
        clientSecret: context.configuration.clientSecret,
        key: key
      ).exchange(try request(token, scopes), requesting: scopes)

      // 2. What comes is of the same person as before.
      let received = ValidatedTokens(
        response: response,
        claims: try await lookup.claims(of: response, metadata: metadata, in: document),
        authority: lookup.homeAuthority,
        clientID: context.configuration.clientID,
        now: context.dependencies.clock.now(),
        asked: try Scopes(parameters.scopes),
        renewed: token,
        account: parameters.account,
        key: key
      )
      try received.checkAccount()
      return received
    } catch let error as OAuthError {
      throw AuthenticationError(error, as: .invalidParameter, of: origin)
    }
  }

  private func request(_ token: RefreshTokenEntry, _ scopes: Scopes) throws -> TokenRequest {
    var request = TokenRequest(
      .refreshToken(token.secret, scopes: scopes, granted: lookup.granted(token)),
      clientID: context.configuration.clientID,
      authority: lookup.homeAuthority,
      claims: try ClaimsParameter.merging(parameters.claims, capabilities: context.configuration.clientCapabilities),
      correlationID: correlationID,
      resource: parameters.resource
    )
    request.extraQuery = parameters.extraQueryParameters
    return request
  }

  private var origin: RequestOrigin {
    RequestOrigin(
      authority: lookup.homeAuthority,
      clientID: context.configuration.clientID,
      correlationID: correlationID
    )
  }
}
