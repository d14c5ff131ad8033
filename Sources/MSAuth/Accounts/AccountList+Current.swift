/// The current account of a client at an authority: the last to sign in, unless another was selected since.
extension AccountList {
  private var clientID: String { context.clientID }

  /// The current account and the previous one; a call that `remembers` stores its result for the next one to compare with.
  func currentAccount(remembers: Bool) async throws(AuthenticationError) -> CurrentAccount {
    // 1. The current account at the last call, and those that are signed in now.
    let document = try await context.store.load()
    if let account = current(in: document) { return CurrentAccount(account: account) }
    let principal = principal(in: document)
    var stored = self
    stored.excludesBroker = true
    let signedIn = stored.signedIn(in: document)
    guard signedIn.count < 2 else { throw AuthenticationError(ambiguous: signedIn) }
    let current = signedIn.first
    let (old, new) = (principal.map { AccountID($0.homeAccountID) }, current.map { AccountID($0.identifier) })
    guard old != new else { return CurrentAccount(account: current) }

    // 2. The account was signed out; the next call compares with this result.
    if remembers {
      try await context.store.writable().change { document in
        if let principal { forget(principal, in: &document) }
        if let current { remember(current, in: &document) }
      }
    }
    // The previous account's entries may have been removed from the store.
    let previous = principal.map { principal in
      Account(
        identifier: principal.homeAccountID,
        username: principal.username,
        environment: principal.environment,
        realm: authority.issuerPath
      )
    }
    return CurrentAccount(account: current, previousAccount: previous)
  }

  /// The remembered account, if it is signed in.
  func current(in document: TokenCacheDocument) -> Account? {
    principal(in: document).flatMap { signedIn($0.homeAccountID, in: document) }
  }

  /// The remembered account, which may be signed out; a Microsoft account works in all tenants, so the newest is used.
  private func principal(in document: TokenCacheDocument) -> Principal? {
    if let exact = document.principal(for: clientID, at: authority.cacheName),
      serves(exact.homeAccountID, in: document)
    {
      return exact
    }
    guard authority.issuer == nil else { return nil }
    return document.principals(of: clientID).map(\.principal).first {
      $0.issuerPath == nil && query.environments.contains($0.environment.lowercased())
        && serves($0.homeAccountID, in: document)
    }
  }

  func remember(_ account: Account, in document: inout TokenCacheDocument) {
    // Of two sign-ins within a second, the later one is the current account.
    let last = document.principals(of: clientID).first?.principal.since ?? 0
    let since = max(context.now, last + 1)
    document.setPrincipal(Principal(account, since: since), for: clientID, at: authority.cacheName)
  }

  /// Removes an account from the record, and returns the names of the authorities where it was the current one.
  @discardableResult
  private func forget(_ account: Principal, in document: inout TokenCacheDocument) -> [String] {
    let records = document.principals(of: clientID).filter { $0.principal.isSameAccount(as: account) }
    for name in records.map(\.authority) { document.setPrincipal(nil, for: clientID, at: name) }
    return records.map(\.authority)
  }

  /// Forgets an account that signed out; of those still signed in, the one used last becomes the current one.
  func replaceCurrent(_ signedOut: Account, in document: inout TokenCacheDocument) {
    let names = forget(Principal(signedOut), in: &document)
    if names.isEmpty { return }
    let next = signedIn(in: document).filter { CacheQuery($0).isProvider(of: signedOut) }
      .map { Principal($0, since: document.lastUse(matching: CacheQuery($0, clientID: clientID))) }
      .max { $0.since < $1.since }
    for name in names { document.setPrincipal(next, for: clientID, at: name) }
  }
}

extension Principal {
  /// Whether both are one account at one provider.
  func isSameAccount(as other: Principal) -> Bool {
    issuer == other.issuer && AccountID.areSame(homeAccountID, other.homeAccountID, at: issuer)
      && Authority.environmentAliases(of: other.environment).contains(environment.lowercased())
  }

  init(_ account: Account, since: UnixTime = 0) {
    self.init(
      homeAccountID: account.identifier,
      username: account.username,
      environment: account.environment,
      issuerPath: account.realm,
      since: since
    )
  }
}
