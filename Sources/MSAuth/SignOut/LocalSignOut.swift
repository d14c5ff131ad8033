/// One account's sign-out, and what it removed from the store.
struct LocalSignOut: Sendable {
  let context: Context
  let account: Account
  let parameters: SignOutParameters

  var removedTokens = false
  var refreshTokens: [RefreshTokenEntry] = []
  var idToken: Secret?
  /// The redirect URI of the sign-in, if it wasn't the authority's default; it is registered for sign-out too.
  var redirectURI: String?

  /// The authority to contact.
  var authority: Authority {
    let requested = parameters.authority ?? context.configuration.authority
    let authority = CloudPolicy(context.configuration).authority(requested, of: account)
    guard parameters.contactsEveryProvider, !CacheQuery(authority).isProvider(of: account) else { return authority }
    return Authority(of: account, known: context.configuration.knownAuthorities) ?? authority
  }

  /// Whether the account is at Microsoft, which doesn't revoke refresh tokens.
  var isMicrosoft: Bool {
    // Accounts of all others have a realm.
    knowsProvider ? authority.isMicrosoft : parameters.contactsEveryProvider && account.realm == nil
  }

  /// Whether ``authority`` is the account's provider.
  var knowsProvider: Bool { CacheQuery(authority).isProvider(of: account) }

  /// Whose tokens it removes.
  fileprivate var key: AccountKey {
    AccountKey(issuer: queries[0].issuer, clientID: context.clientID, homeAccountID: account.identifier)
  }

  /// The account's entries; Microsoft's IDs are unique, but at another issuer the same ID may be another account's.
  fileprivate var queries: [CacheQuery] {
    let requested = CacheQuery(authority, account: account.identifier, clientID: context.clientID)
    if knowsProvider { return [requested] }
    let actual = CacheQuery(account, clientID: context.clientID)
    return requested.issuer == nil && actual.issuer == nil ? [actual, requested] : [actual]
  }
}

extension SignOutFlow {
  /// How long a write may still take after cancellation.
  private static let writeTimeout: Duration = .seconds(5)

  /// Removes the accounts' tokens from the store, and remembers that the user signed out.
  ///
  /// There is one write, so that an interrupted process signs out all accounts or none.
  func removeTokens(of accounts: [Account]) async throws(AuthenticationError) -> [LocalSignOut] {
    try await removeTokens(accounts.map { LocalSignOut(context: context, account: $0, parameters: parameters) })
  }

  /// The same for accounts of any application.
  func removeTokens(_ signOuts: [LocalSignOut]) async throws(AuthenticationError) -> [LocalSignOut] {
    let store = try await context.store.settled()
    var lookups: [TokenLookup] = []
    for signOut in signOuts {
      lookups.append(
        await TokenLookup(context: signOut.context, authority: signOut.authority, account: signOut.account)
      )
    }
    let lock = try await store.locked()
    return try await lock.whileHeld {
      var document = try await store.load()
      var removed = signOuts
      for (index, signOut) in signOuts.enumerated() {
        removed[index].refreshTokens = signOut.queries.flatMap { document.refreshTokens(matching: $0) }
        removed[index].idToken = lookups[index].idToken(in: document)
      }
      for (index, signOut) in signOuts.enumerated() {
        removed[index].redirectURI = document.forgetSignIn(signOut.key)
      }
      let before = document
      remove(signOuts, from: &document)
      let changes = document.differs(from: before, in: signOuts.map { $0.queries.map(\.forEveryClient) })
      for (index, isChanged) in changes.enumerated() { removed[index].removedTokens = isChanged }
      // On a shared device nothing of the account stays, and a provider's error description can name the user.
      if context.isOnSharedDevice { document.clearThrottled() }
      document.removeUnusedBindingKeys()
      await markSignedOut(signOuts, in: &document)
      try await withCancellationShield(grace: Self.writeTimeout) { [document] in
        try await store.save(document, holding: lock)
      }
      return removed
    }
  }

  private func remove(_ signOuts: [LocalSignOut], from document: inout TokenCacheDocument) {
    let queries = signOuts.flatMap(\.queries)
    if parameters.removesEveryAccount, !context.isOnSharedDevice {
      document.removeEveryAccount()
    } else if parameters.wipesAllAccounts {
      document = TokenCacheDocument()
    } else if context.isOnSharedDevice {
      // The device has one user, at any provider.
      document.wipeAllAccounts()
    } else if parameters.wipesAccount {
      document.wipe(matching: queries)
    } else {
      document.removeCredentials(matching: queries)
    }
  }

  private func markSignedOut(_ signOuts: [LocalSignOut], in document: inout TokenCacheDocument) async {
    // A shared device keeps no username; every sign-in there prompts for credentials.
    for signOuts in Dictionary(grouping: signOuts, by: \.context.clientID).values {
      let context = signOuts[0].context
      if !context.isOnSharedDevice {
        for signOut in signOuts { document.markSignedOut(signOut.key, username: signOut.account.username) }
      }
      // The next call must not report it as another application's sign-out.
      for (authority, signOuts) in Dictionary(grouping: signOuts, by: \.authority) {
        let record = CurrentAccountRecord(context: context, authority: authority)
        await record.replace(signOuts.map(\.account), in: &document)
      }
    }
  }
}

extension Authority {
  /// `nil` if the account alone doesn't determine it.
  init?(of account: Account, known: [Authority]) {
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
