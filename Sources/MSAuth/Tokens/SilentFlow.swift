import OAuth
import Core
import TokenCache

/// Gives a token without a person: from the store, or by the refresh token (MSAL: `acquireTokenSilent`).
struct SilentFlow: Sendable {
  let context: Context
  let parameters: SilentTokenParameters

  func run() async throws -> TokenResult {
    let lookup = TokenLookup(
      context: context,
      authority: parameters.authority ?? context.configuration.authority,
      account: parameters.account
    )

    try DPoPKeyStore.check(context.configuration, at: lookup.authority)

    try checkValidity()
    // At another issuer the same id may be somebody else's.
    if lookup.authority.issuer != nil, !CacheScope(lookup.authority).holds(parameters.account) {
      throw AuthenticationError(parameters.account, isNotAt: lookup.authority, "it has no token from there")
    }

    // 1. The store as it is: no lock, no network.
    let document = try await context.dependencies.store.read()
    try refuseIfSignedOut(in: document)
    if let stored = storedToken(lookup, in: document) { return stored }

    // 2. One process renews, the others wait and find its result.
    do {
      return try await TokenRefresher(
        context: context,
        parameters: parameters,
        lookup: lookup,
        answer: { current in
          try refuseIfSignedOut(in: current)
          return current == document ? nil : storedToken(lookup, in: current)
        }
      ).run()
    } catch let error as AuthenticationError {
      // 3. Better a token with some life left than none.
      guard let kept = await tokenInStead(of: error, lookup) else { throw error }
      return kept
    }
  }

  /// Whether the stored access token may serve at all.
  private var takesStored: Bool {
    !parameters.forceRefresh && parameters.claims == nil && parameters.resource == nil
  }

  private func storedToken(_ lookup: TokenLookup, in document: TokenCacheDocument) -> TokenResult? {
    guard takesStored, let token = lookup.accessToken(in: document, scopes: parameters.scopes, validAfter: enough)
    else { return nil }
    if let refreshOn = token.refreshOn, refreshOn <= context.dependencies.clock.now() { return nil }
    return lookup.result(token, in: document, correlationID: parameters.correlationID ?? "")
  }

  /// The stored token, when it could not be renewed but still lives.
  ///
  /// A renewal that was only early (`refresh_in`) may fail for any reason; one that was due, only because the provider
  /// is away.
  private func tokenInStead(of error: AuthenticationError, _ lookup: TokenLookup) async -> TokenResult? {
    guard takesStored, error.code != .canceled, error.code != .serverDeclinedScopes, error.reason != .signedOut,
      let document = try? await context.dependencies.store.read()
    else { return nil }
    let mayEndSoon = error.code == .providerUnreachable && parameters.minimumValidity == nil
    let validAfter = mayEndSoon ? context.dependencies.clock.now() : enough
    return lookup.accessToken(in: document, scopes: parameters.scopes, validAfter: validAfter).map {
      lookup.result($0, in: document, correlationID: parameters.correlationID ?? "")
    }
  }

  /// The Unix time at which a stored token must still be valid.
  private var enough: UnixTime {
    context.dependencies.clock.now() + (parameters.minimumValidity ?? context.configuration.expirationBuffer)
  }

  private func checkValidity() throws {
    let allowed = 0...SilentTokenParameters.maximumValidity
    guard let seconds = parameters.minimumValidity, !allowed.contains(seconds) else { return }
    throw AuthenticationError(
      .invalidParameter,
      "the validity asked for is not a number of seconds from 0 to \(allowed.upperBound)",
      reason: .minimumValidityInvalid
    )
  }

  private func refuseIfSignedOut(in document: TokenCacheDocument) throws {
    let issuer = (parameters.authority ?? context.configuration.authority).issuer
    guard
      document.isSignedOut(
        homeAccountID: parameters.account.identifier,
        at: issuer,
        clientID: context.configuration.clientID
      )
    else { return }
    throw AuthenticationError(
      .interactionRequired,
      "\(parameters.account.username.printable()) is signed out",
      reason: .signedOut,
      remedy: .signIn()
    )
  }
}
