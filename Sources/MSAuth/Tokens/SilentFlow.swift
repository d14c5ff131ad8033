/// Returns a token without user interaction: from the store, or refreshed (MSAL: `acquireTokenSilent`).
package struct SilentFlow: Sendable {
  let context: Context
  var parameters: TokenParameters
  let account: Account

  package init(context: Context, parameters: TokenParameters, account: Account) {
    (self.context, self.parameters, self.account) = (context, parameters, account)
  }

  /// `document` was just read from the store.
  package mutating func run(in document: TokenCacheDocument) async throws(AuthenticationError) -> TokenResult {
    let lookup = await lookup()
    try context.configuration.checkDPoP(at: lookup.authority)
    let maximum = TokenParameters.maximumValidity
    try parameters.minimumValidity?.check("the requested validity", upTo: maximum, reason: "minimum_validity_invalid")
    // At another issuer, the same ID may be another user's.
    if lookup.authority.issuer != nil, !CacheQuery(lookup.authority).isProvider(of: account) {
      throw AuthenticationError(account, isNotAt: lookup.authority, "it has no token from there")
    }

    // 1. The stored token: no lock, no network.
    if parameters.scopes.isEmpty { parameters.scopes = lookup.signInScopes(in: document) }
    if let result = try lookup.currentResult(for: parameters, in: document) { return result }

    // 2. One process refreshes; the others wait and find its result.
    do throws(AuthenticationError) {
      let result = try await TokenRefresher(parameters: parameters, lookup: lookup).run()
      // A refresh may return no ID token (OpenID Connect Core §12.2).
      guard !parameters.requiresIDToken || lookup.hasIDToken(result, validity: .seconds(0)) else {
        let name = account.username.printable()
        let message = "\(name)'s ID token expired; sign in again to renew it"
        throw AuthenticationError(.interactionRequired, message, reason: "id_token_missing")
      }
      return result
    } catch {
      // 3. A token that is still valid is better than none.
      guard let result = await fallback(after: error) else { throw error }
      return result
    }
  }

  private func lookup() async -> TokenLookup {
    let authority = parameters.authority ?? context.configuration.authority
    return await TokenLookup(context: context, authority: authority, account: account)
  }

  /// The stored token, if it is still valid and the refresh was early, or the provider is unreachable.
  private func fallback(after error: AuthenticationError) async -> TokenResult? {
    guard parameters.acceptsStoredToken, error.code != .canceled, error.code != .serverDeclinedScopes,
      error.reason != .signedOut, let document = try? await context.store.load()
    else { return nil }
    // Created again, since the refresh may have fetched the metadata with the tenant's ID.
    let lookup = await lookup()
    let mayExpireSoon = error.code == .providerUnreachable && parameters.minimumValidity == nil
    let validity = mayExpireSoon ? .seconds(0) : lookup.requiredValidity(for: parameters)
    return lookup.result(for: parameters, in: document, validity: validity)
  }
}

extension TokenParameters {
  /// Whether a stored access token may be returned at all.
  fileprivate var acceptsStoredToken: Bool { !forceRefresh && claims == nil && resource == nil }
}

extension ClientConfiguration {
  /// How long a stored token must stay valid by default: at most half its lifetime, unless the buffer was extended.
  var requiredValidity: RequiredValidity {
    tokenExpirationBuffer > Self.defaultExpirationBuffer
      ? .seconds(expirationBuffer) : .secondsOrHalfLife(expirationBuffer)
  }
}

extension TokenLookup {
  /// The stored access token as a result, if it need not be refreshed.
  func currentResult(for parameters: TokenParameters, in document: TokenCacheDocument) throws(AuthenticationError)
    -> TokenResult?
  {
    try checkSignedIn(in: document)
    guard parameters.acceptsStoredToken else { return nil }
    return result(for: parameters, in: document, validity: requiredValidity(for: parameters), beforeRefreshTime: true)
  }

  /// The stored access token as a result, with a valid ID token if that is required.
  fileprivate func result(
    for parameters: TokenParameters,
    in document: TokenCacheDocument,
    validity: RequiredValidity,
    beforeRefreshTime: Bool = false
  ) -> TokenResult? {
    guard let token = accessToken(in: document, scopes: parameters.scopes, validity: validity) else { return nil }
    if beforeRefreshTime, let refreshOn = token.refreshOn, refreshOn <= context.now { return nil }
    let result = result(token, in: document, correlationID: parameters.correlationID ?? "")
    return !parameters.requiresIDToken || hasIDToken(result, validity: validity) ? result : nil
  }

  /// Whether the result's ID token stays valid long enough.
  func hasIDToken(_ result: TokenResult, validity: RequiredValidity) -> Bool {
    let claims = IDTokenClaims(result.idTokenClaims)
    guard let expiresAt = claims.expiresAt else { return false }
    return validity.isMet(expiresOn: expiresAt, cachedAt: claims.issuedAt ?? 0, now: context.now)
  }

  fileprivate func requiredValidity(for parameters: TokenParameters) -> RequiredValidity {
    parameters.minimumValidity.map { .seconds($0.secondsRoundedUp) } ?? context.configuration.requiredValidity
  }

  private func checkSignedIn(in document: TokenCacheDocument) throws(AuthenticationError) {
    guard document.isSignedOut(accountKey) else { return }
    let message = "\(account.username.printable()) is signed out"
    throw AuthenticationError(.interactionRequired, message, reason: .signedOut)
  }
}
