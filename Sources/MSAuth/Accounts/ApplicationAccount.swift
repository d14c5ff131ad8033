/// An account that is signed in to some application, and that application at the account's provider.
package struct ApplicationAccount: Sendable {
  package let configuration: ClientConfiguration
  package let account: Account
  /// When it became the application's current account; 0 if it isn't.
  fileprivate let currentSince: UnixTime
}

extension ClientConfiguration {
  /// The accounts of every application in the store, sorted by username.
  package func accountsOfEveryApplication(
    known: [ClientConfiguration],
    at authority: Authority?,
    inBackground: Bool = false
  ) async throws(AuthenticationError) -> [ApplicationAccount] {
    var dependencies = try await Dependencies.system(for: self)
    if inBackground { dependencies = dependencies.inBackground }
    let document = try await dependencies.store.load()
    var found: [ApplicationAccount] = []
    for context in try await contexts(of: document.clientIDs, dependencies, known: known) {
      let lists =
        authority == nil
        ? AccountList.all(context: context, in: document)
        : [await AccountList(context: context, authority: authority, mayFetch: true)]
      let principals = document.principals(of: context.clientID).map(\.principal)
      for account in lists.flatMap({ $0.signedIn(in: document) }) {
        var configuration = context.configuration
        configuration.authority = configuration.authority(configuration.authority, orProviderOf: account)
        let since = principals.first { $0.isSameAccount(as: Principal(account)) }?.since ?? 0
        found.append(ApplicationAccount(configuration: configuration, account: account, currentSince: since))
      }
    }
    return found.sorted { ($0.account.username, $1.currentSince) < ($1.account.username, $0.currentSince) }
  }

  /// The applications with these client IDs.
  private func contexts(
    of clientIDs: [String],
    _ dependencies: Dependencies,
    known: [ClientConfiguration]
  ) async throws(AuthenticationError) -> [Context] {
    var contexts: [Context] = []
    for clientID in clientIDs {
      var (configuration, dependencies) = (self, dependencies)
      if let found = ([self] + known).first(where: { $0.clientID == clientID }) {
        configuration = found
        (configuration.store, configuration.storeKeyFile) = (store, storeKeyFile)
        configuration.looksUpTenants = looksUpTenants
        dependencies.transport = try Dependencies.systemTransport(for: configuration)
      } else {
        (configuration.clientID, configuration.clientSecret, configuration.redirectURI) = (clientID, nil, nil)
      }
      contexts.append(Context(configuration: configuration, dependencies: dependencies))
    }
    return contexts
  }

  /// Signs every account of every application out of the store; returns whether the store had entries of accounts.
  package func signOutOfEveryApplication(
    known: [ClientConfiguration],
    with parameters: SignOutParameters,
    begin: (_ count: Int) -> Void,
    report: (_ report: SignOutReport, _ wasCurrent: Bool, _ count: Int) -> Void
  ) async throws(AuthenticationError) -> Bool {
    log(.verbose, "sign-out started")
    var parameters = parameters
    parameters.removesEveryAccount = true

    // 1. Read the store.
    let dependencies = try await Dependencies.system(for: self)
    // Other applications may use accounts of the device's broker that didn't sign in to this one.
    var everyone = self
    everyone.accountMode = .multiple
    let context = Context(configuration: everyone, dependencies: dependencies)
    let document = try await dependencies.store.load()
    let current = await AccountList(context: context).current(in: document)

    // 2. Add the broker's accounts; a broker that doesn't respond can't sign the accounts in again.
    var listed = document
    try? await context.addBrokerAccounts(to: &listed)
    let addsOwn = !context.isOnSharedDevice && !clientID.isEmpty && !document.clientIDs.contains(clientID)
    let clientIDs = document.clientIDs + (addsOwn ? [clientID] : [])

    // 3. List the accounts that are signed in to each application; when wiping, also those that aren't.
    var accounts = try await everyone.contexts(of: clientIDs, dependencies, known: known).flatMap { context in
      AccountList.all(context: context, in: listed).flatMap { $0.signedIn(in: listed) }
        .map { (context: context, account: $0) }
    }
    if parameters.wipesAccount {
      let signedIn = Set(accounts.map(\.account.id))
      accounts += AccountList.all(context: context, in: document).flatMap { $0.all(in: document) }
        .filter { !signedIn.contains($0.id) }.map { (context: context, account: $0) }
    }
    let signOuts = accounts.map { AccountSignOut(context: $0, account: $1, parameters: parameters) }
    begin(signOuts.count)

    // 4. Sign them out, and remove what is left of accounts that signed out earlier.
    var rest = document
    rest.removeUserAccounts()
    if rest != document || !signOuts.isEmpty {
      try await SignOutFlow(context: context, parameters: parameters).run(signOuts) {
        report($0, $0.account.id == current?.id, signOuts.count)
      }
    }

    // 5. When wiping, remove the damaged caches that were set aside.
    if parameters.wipesAccount { try await context.store.writable().removeSetAside() }
    return rest != document
  }
}

extension [ApplicationAccount] {
  /// The distinct accounts.
  package var accounts: [Account] {
    reduce(into: []) { accounts, entry in
      if !accounts.contains(where: { $0.id == entry.account.id }) { accounts.append(entry.account) }
    }
  }

  /// The account with that username or home account ID; without a name, the one that became current last, or the only one.
  ///
  /// Returns nil if no account is signed in and none is named.
  package func account(named name: String?) throws(AuthenticationError) -> ApplicationAccount? {
    let accounts = accounts
    if let name {
      guard let account = try accounts.account(named: name) else {
        throw AuthenticationError(notSignedIn: name, known: accounts)
      }
      return first { $0.account.id == account.id }
    }
    let current = filter { $0.currentSince > 0 }.max { $0.currentSince < $1.currentSince }
    guard current != nil || accounts.count < 2 else { throw AuthenticationError(ambiguous: accounts) }
    return current ?? first
  }
}
