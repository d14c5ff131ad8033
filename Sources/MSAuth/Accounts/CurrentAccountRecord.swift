/// The current account of a client at an authority: the last to sign in, or the one made current since.
struct CurrentAccountRecord: Sendable {
  let context: Context
  let authority: Authority

  /// The current account, and the one before it (MSAL: `getCurrentAccount`); a call that `remembers` stores its result,
  /// for the next call to compare with.
  func current(remembers: Bool) async throws(AuthenticationError) -> CurrentAccount {
    // 1. The current account at the last call, and those that are signed in now.
    let document = try await context.store.load()
    var list = await AccountList(context: context, authority: authority, mayFetch: true)
    let principal = principal(in: document, list)
    if let account = account(in: document, list) { return CurrentAccount(account: account) }
    list.excludesBroker = true
    let signedIn = list.signedIn(in: document)
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
  func account(in document: TokenCacheDocument) async -> Account? {
    account(in: document, await AccountList(context: context, authority: authority))
  }

  func account(in document: TokenCacheDocument, _ list: AccountList) -> Account? {
    principal(in: document, list).flatMap { list.signedIn($0.homeAccountID, in: document) }
  }

  /// The remembered account, which may be signed out; Microsoft accounts serve all tenants, so the newest one is used.
  private func principal(in document: TokenCacheDocument, _ list: AccountList) -> Principal? {
    if let exact = document.principal(for: clientID, at: authority.cacheName),
      list.serves(exact.homeAccountID, in: document)
    {
      return exact
    }
    guard authority.issuer == nil else { return nil }
    let environments = context.configuration.environments(of: authority)
    return document.principals(of: clientID).map(\.principal).first {
      $0.issuerPath == nil && environments.contains($0.environment.lowercased())
        && list.serves($0.homeAccountID, in: document)
    }
  }

  func remember(_ account: Account, in document: inout TokenCacheDocument) {
    // Of two sign-ins within a second, the later one is the current account.
    let last = document.principals(of: clientID).first?.principal.since ?? 0
    let since = max(context.now, last + 1)
    document.setPrincipal(Principal(account, since: since), for: clientID, at: authority.cacheName)
  }

  /// Removes an account from the record, at every authority of its provider.
  @discardableResult
  private func forget(_ account: Principal, in document: inout TokenCacheDocument) -> [String] {
    let names = names(of: account, in: document)
    for name in names { document.setPrincipal(nil, for: clientID, at: name) }
    return names
  }

  /// Forgets accounts that signed out; of the others, the one used last becomes the current one.
  func replace(_ signedOut: [Account], in document: inout TokenCacheDocument) async {
    let list = await AccountList(context: context, authority: authority)
    let current = signedOut.filter { !names(of: Principal($0), in: document).isEmpty }
    let identifiers = Set(signedOut.map { AccountID($0.identifier) })
    for account in current {
      let names = forget(Principal(account), in: &document)
      let others = list.signedIn(in: document)
        .filter { !identifiers.contains(AccountID($0.identifier)) && CacheQuery($0).isProvider(of: account) }
      let next = others.map { account in
        (account: account, lastUse: document.lastUse(matching: CacheQuery(account, clientID: clientID)))
      }.max { $0.lastUse < $1.lastUse }
      guard let next else { continue }
      for name in names {
        document.setPrincipal(Principal(next.account, since: next.lastUse), for: clientID, at: name)
      }
    }
  }

  /// The names of the authorities where an account is the current one.
  private func names(of account: Principal, in document: TokenCacheDocument) -> [String] {
    document.principals(of: clientID).filter { $0.principal.isSameAccount(as: account) }.map(\.authority)
  }

  private var clientID: String { context.clientID }
}

extension Principal {
  /// Whether both are one account at one provider.
  func isSameAccount(as other: Principal) -> Bool {
    homeAccountID.isIdentical(to: other.homeAccountID) && issuer == other.issuer
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
