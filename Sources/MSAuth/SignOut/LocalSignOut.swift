/// Removes an account's tokens from the store, and remembers that the user signed out.
struct LocalSignOut: Sendable {
  let context: Context
  let account: Account
  let parameters: SignOutParameters

  /// How long a write may still take after cancellation.
  private static let writeTimeout: Duration = .seconds(5)

  /// What was removed, for the provider and the browser.
  struct Session: Sendable {
    var removedTokens = false
    var refreshTokens: [RefreshTokenEntry] = []
    var idToken: Secret?
    /// The redirect URI of the sign-in, if it wasn't the authority's default; it is registered for sign-out too.
    var redirectURI: String?
  }

  /// The authority to contact.
  var authority: Authority {
    let requested = parameters.authority ?? context.configuration.authority
    let authority = CloudPolicy(context.configuration).authority(requested, of: account)
    guard parameters.contactsEveryProvider, !CacheQuery(authority).isProvider(of: account) else { return authority }
    return Authority(of: account, known: context.configuration.knownAuthorities) ?? authority
  }

  /// Signs accounts out of one store in one write, so that an interrupted process signs out all of them or none.
  static func run(_ signOuts: [LocalSignOut]) async throws -> [Session] {
    guard let first = signOuts.first else { return [] }
    let store = try await first.context.store.settled()
    var lookups: [TokenLookup] = []
    for signOut in signOuts { lookups.append(await signOut.lookup()) }
    let lock = try await store.locked()
    let sessions = try await lock.whileHeld {
      var document = try await store.load()
      var sessions = zip(signOuts, lookups).map { signOut, lookup in
        let refreshTokens = signOut.queries.flatMap { document.refreshTokens(matching: $0) }
        return Session(refreshTokens: refreshTokens, idToken: lookup.idToken(in: document))
      }
      let accounts = signOuts.map { ($0.account.identifier, $0.queries.first?.issuer) }
      let redirectURIs = document.forgetSignIns(accounts, of: first.context.clientID)
      let removed = first.remove(signOuts, from: &document)
      // On a shared device nothing of the account stays, and a provider's error description can name the user.
      if first.context.isOnSharedDevice { document.clearThrottled() }
      document.removeUnusedBindingKeys()
      first.markSignedOut(signOuts, in: &document)
      for index in sessions.indices {
        sessions[index].removedTokens = removed(signOuts[index].account)
        sessions[index].redirectURI = redirectURIs[index]
      }
      let changed = document
      try await withCancellationShield(grace: writeTimeout) {
        try await store.save(changed, holding: lock)
      }
      return sessions
    }
    if first.parameters.wipesAllAccounts { try await store.removeSetAside() }
    return sessions
  }

  /// Another authority than the account's own must not get its tokens.
  func checkProvider() throws {
    guard knowsProvider else {
      throw AuthenticationError(account, isNotAt: authority, "its provider was not contacted")
    }
  }

  /// Whether it is one of Microsoft's services, which don't revoke refresh tokens.
  var isMicrosoft: Bool {
    // Accounts of all others have a realm.
    knowsProvider ? authority.isMicrosoft : parameters.contactsEveryProvider && account.realm == nil
  }

  private func lookup() async -> TokenLookup {
    await TokenLookup(context: context, authority: authority, account: account)
  }

  var knowsProvider: Bool { CacheQuery(authority).isProvider(of: account) }

  /// The account's entries; Microsoft's IDs are unique, but at another issuer the same ID may be another account's.
  private var queries: [CacheQuery] {
    let requested = CacheQuery(authority, account: account.identifier, clientID: context.clientID)
    if knowsProvider { return [requested] }
    let own = CacheQuery(account, clientID: context.clientID)
    return requested.issuer == nil && own.issuer == nil ? [own, requested] : [own]
  }

  private func remove(_ signOuts: [LocalSignOut], from document: inout TokenCacheDocument) -> (Account) -> Bool {
    guard parameters.wipesAllAccounts || context.isOnSharedDevice else {
      let queries = signOuts.flatMap(\.queries)
      let owners =
        parameters.wipesAccount ? document.wipe(matching: queries) : document.removeCredentials(matching: queries)
      return { owners.contains(Array($0.identifier.utf8)) }
    }
    let before = document
    if parameters.wipesAllAccounts {
      document = TokenCacheDocument()
    } else {
      // The device has one user, at any provider.
      document.wipeAllAccounts()
    }
    let hasChanged = document != before
    return { _ in hasChanged }
  }

  private func markSignedOut(_ signOuts: [LocalSignOut], in document: inout TokenCacheDocument) {
    // A shared device keeps no username; every sign-in there prompts for credentials.
    if !context.isOnSharedDevice {
      let accounts = signOuts.map { ($0.account.identifier, $0.queries.first?.issuer, $0.account.username) }
      document.markSignedOut(accounts, of: context.clientID)
    }
    // The next call must not report it as another application's sign-out.
    for (authority, signOuts) in Dictionary(grouping: signOuts, by: \.authority) {
      CurrentAccountRecord(context: context, authority: authority).replace(signOuts.map(\.account), in: &document)
    }
  }
}

extension Authority {
  /// `nil` if the account alone doesn't determine it.
  fileprivate init?(of account: Account, known: [Authority]) {
    // The cache contains no scheme, and plain HTTP is accepted on loopback hosts only.
    let isPlainHTTP = account.claims["iss"]?.string?.utf8.starts(with: "http:".utf8) == true
    let tenant = account.tenantProfiles.first(where: \.isHomeTenant)?.tenantID ?? "common"
    let url = "\(isPlainHTTP ? "http" : "https")://\(account.environment)/\(account.realm ?? tenant)"
    guard let authority = try? Authority(parsing: url, known: known),
      CacheQuery(authority).isProvider(of: account), authority.isMicrosoft == (account.realm == nil)
    else { return nil }
    self = authority
  }
}
