extension PublicClientApplication {
  /// The accounts that match a filter, sorted by username (MSAL: `accounts(for:)`).
  public func accounts(matching filter: AccountFilter) async throws(AuthenticationError) -> [Account] {
    var document = try await context.store.load()
    try await context.addBrokerAccounts(to: &document)
    let list = await AccountList(context: context, mayFetch: true)
    let accounts = filter.includesSignedOut ? list.all(in: document) : list.signedIn(in: document)
    return accounts.filter(filter.matches)
  }

  /// The accounts that signed in here, without those that only the device's broker has.
  package func storedAccounts() async throws(AuthenticationError) -> [Account] {
    var list = await AccountList(context: context, mayFetch: true)
    list.excludesBroker = true
    return list.signedIn(in: try await context.store.load())
  }

  /// The account with that username or home account ID; without a name, the current one.
  ///
  /// - Parameter name: A username or a home account ID, ignoring case.
  /// - Throws: `AuthenticationError` if no account is signed in, none has that name, or several match.
  /// - Returns: The account.
  public func account(named name: String?) async throws(AuthenticationError) -> Account {
    var document = try await context.store.load()
    return try await AccountList(context: context, mayFetch: true).account(named: name, orBrokersIn: &document)
  }

  /// The accounts that are signed in, sorted by username, and the account with that name, as from ``account(named:)``.
  ///
  /// Use it for a list that marks the current account; it reads the store once.
  ///
  /// - Parameter name: A username or a home account ID, ignoring case; `nil` for the current account.
  /// - Throws: `AuthenticationError` if the store can't be read.
  /// - Returns: The accounts; `current` is `nil` if no account has that name, or several do.
  public func accounts(current name: String?) async throws(AuthenticationError) -> (all: [Account], current: Account?) {
    var document = try await context.store.load()
    let stored = document
    let list = await AccountList(context: context, mayFetch: true)
    try await context.addBrokerAccounts(to: &document)
    let all = list.signedIn(in: document)
    // As in account(named:), an account in the store takes precedence over the broker's.
    return (all, [stored, document].firstNonNil { try? list.account(named: name, in: $0) })
  }

  /// The account for a token, without the network.
  package func account(named name: String?, in document: TokenCacheDocument) async throws(AuthenticationError)
    -> Account
  {
    try await AccountList(context: context).account(named: name, in: document)
  }

  /// The account for a token at an authority: the configured authority's, unless that is another provider or has none.
  func account(
    named name: String?,
    at authority: Authority?,
    orBrokersIn document: inout TokenCacheDocument
  ) async throws(AuthenticationError) -> Account {
    let requested = await AccountList(context: context, authority: authority)
    guard let authority, authority.isOfSameProvider(as: configuration.authority) else {
      return try await requested.account(named: name, orBrokersIn: &document)
    }
    return try await AccountList(context: context).account(named: name, orIn: requested, orBrokersIn: &document)
  }

  /// The account with that username, ID or mail address; some providers don't verify mail addresses, so they come last.
  package func account(withNameOrMailAddress name: String) async throws(AuthenticationError) -> Account? {
    do {
      return try await account(named: name)
    } catch {
      guard error.code == .accountRequired else { throw error }
    }
    let accounts = try await accounts().filter { $0.hasMailAddress(name) }
    guard accounts.count < 2 else { throw AuthenticationError(ambiguous: accounts) }
    return accounts.first
  }

  /// The current account and, if it changed since the last call that remembers, the previous one (MSAL:
  /// `getCurrentAccount`).
  ///
  /// The current account is the last to sign in at the configured authority, unless ``setCurrentAccount(_:)`` changed it.
  ///
  /// - Parameter remembers: Whether to store the result, so that a change is reported only once; otherwise the store isn't
  ///   written.
  /// - Throws: `AuthenticationError`; with `AuthenticationError.Code.ambiguousAccount` if several are signed in, and none
  ///   of them through this application.
  /// - Returns: Both accounts.
  public func currentAccount(remembers: Bool) async throws(AuthenticationError) -> CurrentAccount {
    try await configuration.logging("current account lookup") {
      try await AccountList(context: context, mayFetch: true).currentAccount(remembers: remembers)
    }
  }

  /// Removes an account's tokens from the store without contacting the provider (MSAL: `remove(_:)`).
  ///
  /// - Parameter account: The account; other applications that share the store keep their tokens.
  /// - Throws: `AuthenticationError` if the store can't be written.
  /// - Returns: Whether there were any.
  @discardableResult
  public func removeAccount(_ account: Account) async throws(AuthenticationError) -> Bool {
    let flow = SignOutFlow(context: context, parameters: SignOutParameters())
    return try await flow.removeTokens(of: [account])[0].removedTokens
  }

  /// Removes from the store an access token that a resource rejected, so that the next call gets a new one.
  ///
  /// - Parameter accessToken: The token; another application's token stays.
  /// - Throws: `AuthenticationError` if the store can't be written.
  /// - Returns: Whether it was in the store.
  @discardableResult
  public func discardAccessToken(_ accessToken: String) async throws(AuthenticationError) -> Bool {
    let (secret, clientID) = (Secret(accessToken), configuration.clientID)
    // No lock if there is nothing to do.
    var copy = try await context.store.load()
    guard copy.removeAccessToken(secret, clientID: clientID) else { return false }
    return try await context.store.writable().change { $0.removeAccessToken(secret, clientID: clientID) }
  }

  /// Makes a signed-in account the current one, as a sign-in does: calls without an account use it.
  ///
  /// - Throws: `AuthenticationError`; with `AuthenticationError.Code.accountRequired` if it is not signed in.
  public func setCurrentAccount(_ account: Account) async throws(AuthenticationError) {
    let list = await AccountList(context: context, mayFetch: true)
    try await context.store.writable().change { document in
      // The store may not have the broker's account yet.
      if let entry = AccountEntry(ofBroker: account), list.signedIn(account.identifier, in: document) == nil {
        document.storeAccount(entry)
      }
      guard let present = list.signedIn(account.identifier, in: document) else {
        throw AuthenticationError(notSignedIn: account.username, known: list.signedIn(in: document))
      }
      list.remember(present, in: &document)
    }
  }

  /// Whether an account is signed in to this application at an authority.
  package func isSignedIn(_ account: Account, at authority: Authority) async throws(AuthenticationError) -> Bool {
    let document = try await context.store.load()
    let list = await AccountList(context: context, authority: authority, mayFetch: true)
    return list.signedIn(account.identifier, in: document)?.id == account.id
  }

  /// The state of an account's session in the store, without a request to the provider.
  public func sessionStatus(of account: Account) async throws(AuthenticationError) -> SessionStatus {
    try await SessionStatus(of: account, in: context)
  }
}

extension [Account] {
  /// The account with that username or home account ID; case only matters if it distinguishes two.
  package func account(named name: String) throws(AuthenticationError) -> Account? {
    func matching(_ value: (Account) -> String) -> [Account] {
      let exact = filter { value($0).isIdentical(to: name) }
      return exact.isEmpty ? filter { value($0).isEqual(ignoringCase: name) } : exact
    }
    var found = matching(\.identifier)
    if found.isEmpty { found = matching(\.username) }
    guard found.count < 2 else { throw AuthenticationError(ambiguous: found) }
    return found.first
  }
}
