import FoundationEssentials
import OAuth
import Primitives
import TokenCache

/// Renews a token by the refresh token.
///
/// Of any number of processes one asks the provider; with a provider that accepts each refresh token once, a second
/// request would end the session.
struct Renewal: Sendable {
  /// How often to look for what a program has got that does not hold our lock while it asks: MSAL Python may only have
  /// been waiting for us to let go of it, and tries every 0.25 s.
  static let looksForOthers = 14
  private static let pause: Duration = .milliseconds(50)

  let configuration: Configuration
  let surroundings: Surroundings
  let parameters: SilentTokenParameters
  let lookup: TokenLookup
  /// The token that the store holds by now, when another process has renewed it meanwhile; throws when there must be none.
  let answer: @Sendable (TokenCacheDocument) throws -> TokenResult?

  func run() async throws -> TokenResult {
    let metadata = try await ProviderDirectory(surroundings: surroundings).metadata(of: lookup.homeAuthority)
    do {
      return try await attempt(metadata, besides: [])
    } catch let refusal as Refusal {
      // Another process may have used the refresh token before us and be about to store the new one.
      guard try await isReplaced(refusal.tokens) else { throw refusal.error }
      do {
        return try await attempt(metadata, besides: refusal.tokens)
      } catch let refusal as Refusal {
        throw refusal.error
      }
    }
  }

  /// The provider refused all refresh tokens that there were.
  private struct Refusal: Error {
    var tokens: [Secret]
    var error: AuthenticationError
  }

  private func attempt(_ metadata: ProviderMetadata, besides refused: [Secret]) async throws -> TokenResult {
    switch try await surroundings.store.locked(unless: answer) {
    case .needless(let result): return result
    case .locked(let lock):
      // Once the provider has taken the old refresh token, only what it answers is of use: no Ctrl-C in between.
      return try await finishing {
        defer { lock.release() }
        return try await renew(metadata, besides: refused, holding: lock)
      }
    }
  }

  private func renew(
    _ metadata: ProviderMetadata,
    besides refused: [Secret],
    holding lock: TokenCacheLock
  ) async throws -> TokenResult {
    // 1. Again, now that nobody else writes.
    var document = try surroundings.store.read()
    if let result = try answer(document) { return result }

    // 2. The refresh tokens, newest first; a second one is the family's. A used-up one could not be taken back.
    try surroundings.store.rehearse(lock)
    var refusal: Refusal?
    for token in lookup.refreshTokens(in: document) where !refused.contains(token.secret) {
      do {
        let renewed = try await redeem(token, metadata: metadata, document: document)
        // 3. The new refresh token is on disk before anyone gets the access token.
        try renewed.store(in: &document, createsAccount: false)
        try surroundings.store.write(document, holding: lock)
        return renewed.result(correlationID: parameters.correlationID ?? "")
      } catch let error as AuthenticationError where error.isAboutTheRefreshToken {
        refusal = Refusal(tokens: (refusal?.tokens ?? refused) + [token.secret], error: refusal?.error ?? error)
      }
    }
    if let refusal { throw refusal }
    throw AuthenticationError(
      .interactionRequired,
      "\(parameters.account.username.printable()) has no refresh token, so a person has to sign in",
      reason: "no_refresh_token",
      hint: "run msauth login"
    )
  }

  private func isReplaced(_ refused: [Secret]) async throws -> Bool {
    for _ in 0..<Self.looksForOthers {
      let document = try surroundings.store.read()
      if lookup.refreshTokens(in: document).contains(where: { !refused.contains($0.secret) }) { return true }
      try await Task.sleep(for: Self.pause)
    }
    return false
  }

  private func redeem(
    _ refreshToken: RefreshTokenEntry,
    metadata: ProviderMetadata,
    document: TokenCacheDocument
  ) async throws -> ReceivedTokens {
    let scopes = try lookup.scopesForRefresh(asked: parameters.scopes, metadata: metadata)
    let id = parameters.correlationID ?? UUID().uuidString.lowercased()
    let request = TokenRequest(
      .refreshToken(refreshToken.secret, scopes: scopes),
      clientID: configuration.clientID,
      authority: lookup.homeAuthority,
      claims: parameters.claims,
      correlationID: id
    )
    let response: TokenResponse
    do {
      let endpoint = TokenEndpoint(
        surroundings: surroundings,
        metadata: metadata,
        clientSecret: configuration.clientSecret
      )
      response = try await endpoint.exchange(request, requesting: scopes)
    } catch let error as OAuthError {
      throw AuthenticationError(error, as: .serverError, correlationID: id)
    }
    return ReceivedTokens(
      response: response,
      claims: try await lookup.claims(of: response, metadata: metadata, in: document),
      authority: lookup.homeAuthority,
      clientID: configuration.clientID,
      now: surroundings.clock.now()
    )
  }
}

extension AuthenticationError {
  /// Whether another refresh token may do where this one failed: it is not the person's consent or second factor that
  /// is missing (Entra tells those by `suberror`).
  fileprivate var isAboutTheRefreshToken: Bool {
    guard let provider, provider.error == "invalid_grant" else { return false }
    return provider.subError.map { ["bad_token", "token_expired", "client_mismatch"].contains($0) } ?? true
  }
}
