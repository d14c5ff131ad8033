import FoundationEssentials
import OAuth
import Core
import TokenCache

/// Renews a token by the refresh token.
///
/// Of any number of processes one asks the provider; with a provider that accepts each refresh token once, a second
/// request would end the session.
struct TokenRefresher: Sendable {
  /// How often to look for what a program has got that does not hold our lock while it asks: MSAL Python may only have
  /// been waiting for us to let go of it, and tries every 0.25 s.
  static let looksForOthers = 30
  private static let pause: Duration = .milliseconds(50)

  let context: Context
  let parameters: SilentTokenParameters
  let lookup: TokenLookup
  /// The token that the store holds by now, when another process has renewed it meanwhile; throws when there must be none.
  let answer: @Sendable (TokenCacheDocument) throws -> TokenResult?
  private let correlationID: String

  init(
    context: Context,
    parameters: SilentTokenParameters,
    lookup: TokenLookup,
    answer: @escaping @Sendable (TokenCacheDocument) throws -> TokenResult?
  ) {
    self.context = context
    self.parameters = parameters
    self.lookup = lookup
    self.answer = answer
    self.correlationID = parameters.correlationID ?? UUID().uuidString.lowercased()
  }

  func run() async throws -> TokenResult {
    let directory = ProviderDirectory(dependencies: context.dependencies)
    let metadata = try await directory.metadata(of: lookup.homeAuthority)
    // The keys before the refresh token: once that is used up, nothing may come between its answer and the store.
    _ = try await directory.keys(of: metadata)
    do {
      return try await attempt(metadata, besides: [])
    } catch let refusal as Refusal {
      // Another process may have used the refresh token before us and be about to store the new one.
      guard !refusal.error.isThrottled else { throw refusal.error }
      guard try await isReplaced(refusal.tokens) else { throw await noted(refusal, metadata: metadata) }
      do {
        return try await attempt(metadata, besides: refusal.tokens)
      } catch let refusal as Refusal {
        throw await noted(refusal, metadata: metadata)
      }
    }
  }

  /// The provider refused all refresh tokens that there were.
  private struct Refusal: Error {
    var tokens: [Secret]
    var error: AuthenticationError
  }

  private func attempt(_ metadata: ProviderMetadata, besides refused: [Secret]) async throws -> TokenResult {
    switch try await context.dependencies.store.locked(unless: answer) {
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
    var document = try await context.dependencies.store.read()
    if let result = try answer(document) { return result }

    // 2. The refresh tokens, newest first; a second one is the family's. A used-up one could not be taken back.
    try await context.dependencies.store.checkWritable(lock)
    var refusal: Refusal?
    var goesBeyond = false
    for token in lookup.refreshTokens(in: document) where !refused.contains(token.secret) {
      guard lookup.grants(parameters.scopes, token) else {
        goesBeyond = true
        continue
      }
      let renewed: ValidatedTokens
      do {
        renewed = try await redeem(token, metadata: metadata, in: document, holding: lock)
      } catch let error as AuthenticationError where error.isAboutTheRefreshToken {
        refusal = Refusal(tokens: (refusal?.tokens ?? refused) + [token.secret], error: refusal?.error ?? error)
        continue
      }
      // 3. The new refresh token is on disk before anyone gets the access token.
      try renewed.store(in: &document, createsAccount: false)
      try await context.dependencies.store.write(document, holding: lock)
      return try renewed.fullResult(correlationID: correlationID)
    }
    if let refusal { throw refusal }
    let name = parameters.account.username.printable()
    if goesBeyond {
      throw AuthenticationError(
        .interactionRequired,
        "\(name) has not granted \(parameters.scopes.joined(separator: " ").printable(limit: 200)), so a person has to",
        reason: .scopesNotGranted,
        remedy: .signIn(scopes: parameters.scopes)
      )
    }
    if let refused = lookup.refusalOfAll(in: document) { throw refused }
    throw AuthenticationError(
      .interactionRequired,
      "\(name) has no refresh token, so a person has to sign in",
      reason: .noRefreshToken,
      remedy: .signIn()
    )
  }

  /// Sends a refresh token, unless the same request failed a moment ago, in whatever process.
  ///
  /// A refused one stays in the store: it lists the account, and the note of its failure keeps it from being sent.
  private func redeem(
    _ token: RefreshTokenEntry,
    metadata: ProviderMetadata,
    in document: TokenCacheDocument,
    holding lock: TokenCacheLock
  ) async throws -> ValidatedTokens {
    let throttle = throttle(token.secret, endpoint: metadata.tokenEndpoint)
    if let hit = throttle.hit(in: document, now: context.dependencies.clock.now()) { throw hit }
    do {
      return try await RefreshExchange(
        context: context,
        parameters: parameters,
        lookup: lookup,
        correlationID: correlationID
      ).run(token, metadata: metadata, in: document)
    } catch let error as AuthenticationError {
      // A refused refresh token may be about to be replaced by a program that asks for no lock; nothing is written in
      // its way before that is known.
      guard !error.isAboutTheRefreshToken else { throw error }
      await note(error, throttle, holding: lock)
      throw error
    }
  }

  private func throttle(_ token: Secret, endpoint: String) -> Throttle {
    Throttle(
      endpoint: endpoint,
      clientID: context.configuration.clientID,
      account: parameters.account.identifier,
      details: [
        parameters.scopes.map { $0.lowercased() }.sorted().joined(separator: " "), parameters.claims ?? "",
        parameters.resource ?? "", token.revealed,
      ]
    )
  }

  /// Remembers that these refresh tokens were refused, so that no process sends them again at once.
  private func noted(_ refusal: Refusal, metadata: ProviderMetadata) async -> AuthenticationError {
    guard let lock = try? await context.dependencies.store.locked() else { return refusal.error }
    defer { lock.release() }
    for token in refusal.tokens {
      await note(refusal.error, throttle(token, endpoint: metadata.tokenEndpoint), holding: lock)
    }
    return refusal.error
  }

  /// Leaves a note of a failure; whether it can be kept is no matter beside the failure itself.
  private func note(_ error: AuthenticationError, _ throttle: Throttle, holding lock: TokenCacheLock) async {
    guard var document = try? await context.dependencies.store.read(),
      throttle.note(error, in: &document, now: context.dependencies.clock.now())
    else { return }
    try? await context.dependencies.store.write(document, holding: lock)
  }

  private func isReplaced(_ refused: [Secret]) async throws -> Bool {
    for _ in 0..<Self.looksForOthers {
      let document = try await context.dependencies.store.read()
      if lookup.refreshTokens(in: document).contains(where: { !refused.contains($0.secret) }) { return true }
      try await Task.sleep(for: Self.pause)
    }
    return false
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
