import OAuth
import Core
import TokenCache

/// Returns a token without user interaction: from the store, or refreshed (MSAL: `acquireTokenSilent`).
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
    if lookup.authority.issuer != nil, !CacheQuery(lookup.authority).isProvider(of: parameters.account) {
      throw AuthenticationError(parameters.account, isNotAt: lookup.authority, "it has no token from there")
    }

    // 1. The store as it is: no lock, no network.
    let document = try await context.dependencies.store.read()
    if let result = try lookup.currentResult(for: parameters, in: document) { return result }

    // 2. One process refreshes; the others wait and find its result.
    do {
      return try await TokenRefresher(context: context, parameters: parameters, lookup: lookup).run()
    } catch let error as AuthenticationError {
      // 3. A token with some life left is better than none.
      guard let result = await fallback(after: error, lookup) else { throw error }
      return result
    }
  }

  /// The stored token, if it could not be refreshed but is still valid.
  ///
  /// An early refresh (`refresh_in`) may fail for any reason; one that was due, only because the provider is unreachable.
  private func fallback(after error: AuthenticationError, _ lookup: TokenLookup) async -> TokenResult? {
    guard parameters.acceptsStoredToken, error.code != .canceled, error.code != .serverDeclinedScopes,
      error.reason != .signedOut, let document = try? await context.dependencies.store.read()
    else { return nil }
    let mayExpireSoon = error.code == .providerUnreachable && parameters.minimumValidity == nil
    let validAfter = mayExpireSoon ? context.dependencies.clock.now() : lookup.expiry(required: parameters)
    return lookup.accessToken(in: document, scopes: parameters.scopes, validAfter: validAfter).map {
      lookup.result($0, in: document, correlationID: parameters.correlationID ?? "")
    }
  }

  private func checkValidity() throws {
    let maximum = SilentTokenParameters.maximumValidity
    guard let validity = parameters.minimumValidity, !(.zero...maximum).contains(validity) else { return }
    throw AuthenticationError(
      .invalidParameter,
      "the validity asked for is not a number of seconds from 0 to \(maximum.components.seconds)",
      reason: .minimumValidityInvalid
    )
  }
}

extension SilentTokenParameters {
  /// Whether a stored access token may be returned at all.
  fileprivate var acceptsStoredToken: Bool { !forceRefresh && claims == nil && resource == nil }
}

extension TokenLookup {
  /// The stored access token as a result, if it need not be refreshed.
  ///
  /// - Throws: ``AuthenticationError`` with ``AuthenticationError/Code/interactionRequired`` if the account is signed out.
  func currentResult(for parameters: SilentTokenParameters, in document: TokenCacheDocument) throws -> TokenResult? {
    try checkSignedIn(in: document)
    let validAfter = expiry(required: parameters)
    guard parameters.acceptsStoredToken,
      let token = accessToken(in: document, scopes: parameters.scopes, validAfter: validAfter)
    else { return nil }
    if let refreshOn = token.refreshOn, refreshOn <= context.dependencies.clock.now() { return nil }
    return result(token, in: document, correlationID: parameters.correlationID ?? "")
  }

  /// The Unix time at which a stored token must still be valid.
  fileprivate func expiry(required parameters: SilentTokenParameters) -> UnixTime {
    context.dependencies.clock.now()
      + (parameters.minimumValidity?.secondsRoundedUp ?? context.configuration.expirationBuffer)
  }

  private func checkSignedIn(in document: TokenCacheDocument) throws {
    let (id, clientID) = (account.identifier, context.configuration.clientID)
    guard document.isSignedOut(homeAccountID: id, at: authority.issuer, clientID: clientID) else { return }
    throw AuthenticationError(
      .interactionRequired,
      "\(account.username.printable()) is signed out",
      reason: .signedOut,
      remedy: .signIn()
    )
  }
}
