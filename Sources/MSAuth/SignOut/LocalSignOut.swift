import OAuth
import Core
import TokenCache

/// Takes an account's tokens out of the store, and remembers that the person left.
struct LocalSignOut: Sendable {
  let context: Context
  let account: Account
  let parameters: SignOutParameters

  /// What was removed, for the provider and the browser.
  struct Session: Sendable {
    /// Whether there was anything.
    var removedTokens = false
    var refreshTokens: [RefreshTokenEntry] = []
    var idToken: Secret?
  }

  /// The authority that is contacted.
  var authority: Authority { lookup.authority }

  /// Signs out.
  ///
  /// - Returns: What was there, as nobody else has it any more: another process may have refreshed it a moment ago.
  /// - Throws: ``AuthenticationError`` when the store cannot be written.
  func run() async throws -> Session {
    try await context.dependencies.store.change { document in
      let session = session(in: document)
      let before = document
      remove(from: &document)
      let removed = document != before
      document.removeUnusedBindingKeys()
      markSignedOut(in: &document)
      return Session(removedTokens: removed, refreshTokens: session.refreshTokens, idToken: session.idToken)
    }
  }

  /// Refuses to tell an authority that is not the account's own: it must not get its tokens.
  ///
  /// - Throws: ``AuthenticationError`` that names both.
  func checkProvider() throws {
    guard knowsProvider else {
      throw AuthenticationError(account, isNotAt: authority, "its provider was not told")
    }
  }

  private var knowsProvider: Bool { CacheScope(authority).holds(account) }

  private var lookup: TokenLookup {
    TokenLookup(
      context: context,
      authority: parameters.authority ?? context.configuration.authority,
      account: account
    )
  }

  /// Where the account's entries may stand, its own place first.
  ///
  /// Microsoft's ids are unique, so that the authority's is another; at another issuer the same id may be somebody else's.
  private var places: [CacheScope] {
    let (asked, own) = (CacheScope(authority), CacheScope(account))
    if knowsProvider { return [asked] }
    return asked.issuer == nil && own.issuer == nil ? [own, asked] : [own]
  }

  private func session(in document: TokenCacheDocument) -> Session {
    let refreshTokens = places.flatMap { place in
      document.refreshTokens(
        account: account.identifier,
        environments: place.environments,
        issuer: place.issuer,
        clientID: context.configuration.clientID
      )
    }
    return Session(refreshTokens: refreshTokens, idToken: lookup.idToken(in: document))
  }

  private func remove(from document: inout TokenCacheDocument) {
    if parameters.wipesAllAccounts {
      document = TokenCacheDocument()
    } else if context.dependencies.device.mode == .shared {
      // It holds one person, at whatever provider.
      document.wipeAllAccounts()
    } else {
      for place in places { remove(from: &document, at: place) }
    }
  }

  private func remove(from document: inout TokenCacheDocument, at place: CacheScope) {
    if parameters.wipesAccount {
      document.wipe(homeAccountID: account.identifier, environments: place.environments, issuer: place.issuer)
    } else {
      document.removeCredentials(
        homeAccountID: account.identifier,
        environments: place.environments,
        issuer: place.issuer,
        clientID: context.configuration.clientID
      )
    }
  }

  private func markSignedOut(in document: inout TokenCacheDocument) {
    let issuer = places.first?.issuer
    document.markSignedOut(
      homeAccountID: account.identifier,
      at: issuer,
      username: account.username,
      clientID: context.configuration.clientID
    )
    // Who signs out here knows it: the next look must not report it as another application's doing.
    if document.principal(for: context.configuration.clientID, at: issuer)?.homeAccountID == account.identifier {
      document.setPrincipal(nil, for: context.configuration.clientID, at: issuer)
    }
  }
}
