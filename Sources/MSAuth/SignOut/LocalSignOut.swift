/// Takes an account's tokens out of the store, and remembers that the person left.
struct LocalSignOut: Sendable {
  let context: Context
  let account: Account
  let parameters: SignOutParameters

  /// How long a write may still take once the caller is cancelled.
  private static let writeTimeout: Duration = .seconds(5)

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
    let authority = CloudPolicy(context.configuration).authority(asked, of: account)
    guard parameters.contactsEveryProvider, !CacheQuery(authority).isProvider(of: account) else { return authority }
    return Authority(of: account, known: context.configuration.knownAuthorities) ?? authority
  }

  /// Signs accounts out of one store in one write, so that a process that dies leaves all of them or none.
  static func run(_ signOuts: [LocalSignOut]) async throws -> [Session] {
    guard let first = signOuts.first else { return [] }
    let store = try await first.context.store.settled()
    var lookups: [TokenLookup] = []
    for one in signOuts {
      lookups.append(await TokenLookup(context: one.context, authority: one.authority, account: one.account))
    }
    let lock = try await store.locked()
    let sessions = try await lock.whileHeld {
      var document = try await store.load()
      var sessions = zip(signOuts, lookups).map { $0.session(in: document, idToken: $1.idToken(in: document)) }
      let redirectURIs = document.forgetSignIns(
        signOuts.map { ($0.account.identifier, $0.issuer) },
        of: first.context.clientID
      )
      let removed = first.remove(signOuts, from: &document)
      // On a shared device nothing of the account stays, and a provider's error description can name the user.
      if first.isShared { document.clearThrottled() }
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

  /// Refuses to contact an authority that is not the account's own: it must not get its tokens.
  func checkProvider() throws {
    guard knowsProvider else {
      throw AuthenticationError(account, isNotAt: authority, "its provider was not contacted")
    }
  }

  /// Whether the provider is one of Microsoft's services, which don't revoke refresh tokens.
  var isMicrosoft: Bool {
    // The store's accounts have a realm everywhere else.
    knowsProvider ? authority.isMicrosoft : parameters.contactsEveryProvider && account.realm == nil
  }

  private var knowsProvider: Bool { CacheQuery(authority).isProvider(of: account) }

  /// The account's entries; Microsoft's IDs are unique, but at another issuer the same ID may be another account's.
  private var queries: [CacheQuery] {
    var asked = CacheQuery(authority).with(account: account.identifier)
    var own = CacheQuery(account)
    asked.clientID = context.clientID
    own.clientID = context.clientID
    if knowsProvider { return [asked] }
    return asked.issuer == nil && own.issuer == nil ? [own, asked] : [own]
  }

  /// Where the account is one of; nil is Microsoft.
  private var issuer: Issuer? { queries.first?.issuer }

  private func session(in document: TokenCacheDocument, idToken: Secret?) -> Session {
    Session(refreshTokens: queries.flatMap { document.refreshTokens(matching: $0) }, idToken: idToken)
  }

  /// Removes the accounts.
  private func remove(
    _ signOuts: [LocalSignOut],
    from document: inout TokenCacheDocument
  ) -> (Account) -> Bool {
    guard parameters.wipesAllAccounts || isShared else {
      let queries = signOuts.flatMap(\.queries)
      let owners =
        parameters.wipesAccount ? document.wipe(matching: queries) : document.removeCredentials(matching: queries)
      return { owners.contains(Array($0.identifier.utf8)) }
    }
    let before = document
    if parameters.wipesAllAccounts {
      document = TokenCacheDocument()
    } else {
      // It holds one person, at whatever provider.
      document.wipeAllAccounts()
    }
    let hasChanged = document != before
    return { _ in hasChanged }
  }

  private func markSignedOut(_ signOuts: [LocalSignOut], in document: inout TokenCacheDocument) {
    // A shared device keeps nobody's name for the next person; everybody is asked for credentials there.
    if !isShared {
      document.markSignedOut(
        signOuts.map { ($0.account.identifier, $0.issuer, $0.account.username) },
        of: context.clientID
      )
    }
    // Who signs out here knows it: the next look must not report it as another application's doing.
    for (authority, signOuts) in Dictionary(grouping: signOuts, by: \.authority) {
      CurrentAccountRecord(context: context, authority: authority).replace(signOuts.map(\.account), in: &document)
    }
  }

  private var isShared: Bool { context.isOnSharedDevice }
}

extension Authority {
  /// The authority of an account, if the account alone determines it.
  fileprivate init?(of account: Account, known: [Authority]) {
    // The cache keeps no scheme, and plain HTTP is accepted on loopback hosts only.
    let isPlainHTTP = account.claims["iss"]?.string?.utf8.starts(with: "http:".utf8) == true
    let tenant = account.tenantProfiles.first(where: \.isHomeTenant)?.tenantID ?? "common"
    let url = "\(isPlainHTTP ? "http" : "https")://\(account.environment)/\(account.realm ?? tenant)"
    guard let authority = try? Authority(parsing: url, known: known),
      CacheQuery(authority).isProvider(of: account), authority.isMicrosoft == (account.realm == nil)
    else { return nil }
    self = authority
  }
}
