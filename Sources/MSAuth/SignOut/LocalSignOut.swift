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
    /// The redirect URI of the sign-in, if it was not the authority's usual one; it is registered for sign-out too.
    var redirectURI: String?
  }

  /// The authority that is contacted.
  var authority: Authority {
    let asked = parameters.authority ?? context.configuration.authority
    return CloudPolicy(context.configuration).authority(asked, of: account)
  }

  /// Signs out.
  ///
  /// - Returns: What was there, as nobody else has it any more: another process may have refreshed it a moment ago.
  /// - Throws: ``AuthenticationError`` when the store cannot be written.
  func run() async throws -> Session {
    let lookup = await TokenLookup(context: context, authority: authority, account: account)
    let removed = try await context.dependencies.store.change { document in
      let session = session(in: document, idToken: lookup.idToken(in: document))
      let before = document
      remove(from: &document)
      let removed = document != before
      document.removeUnusedBindingKeys()
      markSignedOut(in: &document)
      return Session(
        removedTokens: removed,
        refreshTokens: session.refreshTokens,
        idToken: session.idToken,
        redirectURI: session.redirectURI
      )
    }
    if parameters.wipesAllAccounts { try await context.dependencies.store.removeSetAside() }
    return removed
  }

  /// Refuses to contact an authority that is not the account's own: it must not get its tokens.
  ///
  /// - Throws: ``AuthenticationError`` that names both.
  func checkProvider() throws {
    guard knowsProvider else {
      throw AuthenticationError(account, isNotAt: authority, "its provider was not contacted")
    }
  }

  private var knowsProvider: Bool { CacheQuery(authority).isProvider(of: account) }

  /// The account's entries, those of its own provider first.
  ///
  /// Microsoft's ids are unique, so that the authority's is another; at another issuer the same id may be somebody else's.
  private var queries: [CacheQuery] {
    var asked = CacheQuery(authority).with(account: account.identifier)
    var own = CacheQuery(account)
    asked.clientID = context.configuration.clientID
    own.clientID = context.configuration.clientID
    if knowsProvider { return [asked] }
    return asked.issuer == nil && own.issuer == nil ? [own, asked] : [own]
  }

  private func session(in document: TokenCacheDocument, idToken: Secret?) -> Session {
    let refreshTokens = queries.flatMap { document.refreshTokens(matching: $0) }
    return Session(
      refreshTokens: refreshTokens,
      idToken: idToken,
      redirectURI: document.redirectURI(
        homeAccountID: account.identifier,
        at: queries.first?.issuer,
        clientID: context.configuration.clientID
      )
    )
  }

  private func remove(from document: inout TokenCacheDocument) {
    if parameters.wipesAllAccounts {
      document = TokenCacheDocument()
    } else if context.dependencies.device.mode == .shared {
      // It holds one person, at whatever provider.
      document.wipeAllAccounts()
    } else {
      for query in queries {
        if parameters.wipesAccount {
          document.wipe(matching: query)
        } else {
          document.removeCredentials(matching: query)
        }
      }
    }
  }

  private func markSignedOut(in document: inout TokenCacheDocument) {
    let issuer = queries.first?.issuer
    document.setRedirectURI(
      nil,
      homeAccountID: account.identifier,
      at: issuer,
      clientID: context.configuration.clientID
    )
    // A shared device keeps nobody's name for the next person; everybody is asked for credentials there.
    if context.dependencies.device.mode != .shared {
      document.markSignedOut(
        homeAccountID: account.identifier,
        at: issuer,
        username: account.username,
        clientID: context.configuration.clientID
      )
    }
    document.setRefused(
      [],
      homeAccountID: account.identifier,
      at: issuer,
      clientID: context.configuration.clientID
    )
    // Who signs out here knows it: the next look must not report it as another application's doing.
    CurrentAccountRecord(context: context, authority: authority).replace(account, in: &document)
  }
}
