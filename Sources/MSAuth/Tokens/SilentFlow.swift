import MSAuthBroker

/// Returns a token without user interaction: from the store, or refreshed (MSAL: `acquireTokenSilent`).
struct SilentFlow: Sendable {
  let context: Context
  let request: ResolvedRequest
  let account: Account

  /// `document` was just read from the store.
  func run(in document: TokenCacheDocument) async throws(AuthenticationError) -> TokenResult {
    let lookup = await TokenLookup(context: context, authority: request.authority, account: account)
    // At another issuer, the same ID may be another user's.
    if lookup.authority.issuer != nil, !lookup.authority.isProvider(of: account) {
      throw AuthenticationError(account, isNotAt: lookup.authority, "it has no token from there")
    }

    // 1. The stored token: no lock, no network.
    let completed = request.defaulting(to: lookup.signInScopes(in: document))
    if let result = try lookup.currentResult(for: completed, in: document) { return result }

    do throws(AuthenticationError) {
      let result = try await renewed(completed, lookup, in: document)
      // A refresh may return no ID token (OpenID Connect Core §12.2).
      guard lookup.hasRequiredIDToken(result, for: completed) else {
        let name = account.username.printable()
        let message = "\(name)'s ID token expired; sign in again to renew it"
        throw AuthenticationError(.interactionRequired, message, reason: "id_token_missing")
      }
      return result
    } catch {
      // 4. A token that is still valid is better than none.
      guard let result = await fallback(for: completed, after: error) else { throw error }
      return result
    }
  }

  private func renewed(
    _ completed: ResolvedRequest,
    _ lookup: TokenLookup,
    in document: TokenCacheDocument
  ) async throws(AuthenticationError) -> TokenResult {
    // 2. The device's broker, for its accounts.
    let broker = BrokerFlow(context, completed)
    if let result = try await broker?.silently(lookup, in: document) { return result }

    // 3. One process refreshes; the others wait and find its result.
    do throws(AuthenticationError) {
      return try await TokenRefresher(request: completed, lookup: lookup).run()
    } catch {
      guard error.provider?.requiresManagedDevice == true,
        let result = try await broker?.silently(lookup, in: document, afterRefusal: true)
      else { throw error }
      return result
    }
  }

  /// The stored token, if it is still valid and the refresh was early, or the provider is unreachable.
  private func fallback(for completed: ResolvedRequest, after error: AuthenticationError) async -> TokenResult? {
    guard completed.acceptsStoredToken, error.code != .canceled, error.code != .serverDeclinedScopes,
      error.reason != .signedOut, let document = try? await context.store.load()
    else { return nil }
    // Created again, since the refresh may have fetched the metadata with the tenant's ID.
    let lookup = await TokenLookup(context: context, authority: completed.authority, account: account)
    let isBrokerDown = error.reason.map(BrokerFailure.downReasons.contains) ?? false
    let isDown = error.code == .providerUnreachable || isBrokerDown
    let mayExpireSoon = isDown && completed.minimumValidity == nil
    let validity = mayExpireSoon ? .seconds(0) : lookup.requiredValidity(for: completed)
    return lookup.result(for: completed, in: document, validity: validity)
  }
}

extension AuthenticationError {
  static func signedOut(_ account: Account) -> AuthenticationError {
    AuthenticationError(.interactionRequired, "\(account.username.printable()) is signed out", reason: .signedOut)
  }
}
