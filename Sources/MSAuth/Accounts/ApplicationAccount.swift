/// An account that is signed in to some application, and that application at the account's provider.
package struct ApplicationAccount: Sendable {
  package let configuration: ClientConfiguration
  package let account: Account
  /// Whether it is the application's current account at this authority, or at one of a profile.
  package let isCurrent: Bool
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
    for context in try contexts(of: document.clientIDs, dependencies, known: known) {
      let lists =
        authority == nil
        ? AccountList.ofEveryProvider(context: context, in: document)
        : [await AccountList(context: context, authority: authority, mayFetch: true)]
      var current = lists.compactMap { try? $0.account(named: nil, in: document).id }
      for profile in known where profile.clientID == context.clientID {
        let list = await AccountList(context: context, authority: profile.authority)
        if let account = try? list.account(named: nil, in: document) { current.append(account.id) }
      }
      let principals = document.principals(of: context.clientID).map(\.principal)
      for account in lists.flatMap({ $0.signedIn(in: document) }) {
        var configuration = context.configuration
        configuration.authority = configuration.authority(configuration.authority, orProviderOf: account)
        let since = principals.first { $0.isSameAccount(as: Principal(account)) }?.since ?? 0
        found.append(
          ApplicationAccount(
            configuration: configuration,
            account: account,
            isCurrent: current.contains(account.id),
            currentSince: since
          )
        )
      }
    }
    return found.sorted { ($0.account.username, $1.currentSince) < ($1.account.username, $0.currentSince) }
  }

  /// The applications with these client IDs.
  func contexts(
    of clientIDs: [String],
    _ dependencies: Dependencies,
    known: [ClientConfiguration]
  ) throws(AuthenticationError) -> [Context] {
    try clientIDs.map { clientID throws(AuthenticationError) in
      var (configuration, dependencies) = (self, dependencies)
      if let found = ([self] + known).first(where: { $0.clientID == clientID }) {
        configuration = found
        (configuration.store, configuration.storeKeyFile) = (store, storeKeyFile)
        configuration.looksUpTenants = looksUpTenants
        dependencies.transport = try Dependencies.systemTransport(for: configuration)
      } else {
        (configuration.clientID, configuration.clientSecret, configuration.redirectURI) = (clientID, nil, nil)
      }
      return Context(configuration: configuration, dependencies: dependencies)
    }
  }
}

extension [ApplicationAccount] {
  /// The distinct accounts.
  package var accounts: [Account] {
    reduce(into: []) { accounts, entry in
      if !accounts.contains(where: { $0.id == entry.account.id }) { accounts.append(entry.account) }
    }
  }

  /// The account with that username or ID; without a name, the last to become current, or the only one, if any.
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
