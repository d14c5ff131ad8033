import TokenCache

extension PublicClientApplication {
  /// The accounts that match, sorted by username (MSAL: `accounts(for:)`).
  ///
  /// - Parameter parameters: Which accounts to list.
  /// - Throws: ``AuthenticationError`` when the store cannot be read.
  /// - Returns: The accounts.
  public func accounts(for parameters: AccountEnumerationParameters) async throws(AuthenticationError) -> [Account] {
    let directory = AccountDirectory(context: context)
    let document = try await AuthenticationError.wrap { try await context.dependencies.store.load() }
    let accounts =
      parameters.returnsOnlySignedInAccounts ? directory.signedIn(in: document) : directory.all(in: document)
    return accounts.filter { parameters.matches($0) }
  }

  /// The accounts of every provider in the store, whatever authority is configured.
  package func accountsOfEveryProvider(signedInOnly: Bool) async throws(AuthenticationError) -> [Account] {
    let document = try await AuthenticationError.wrap { try await context.dependencies.store.load() }
    return AccountDirectory.all(context: context, in: document)
      .flatMap { signedInOnly ? $0.signedIn(in: document) : $0.all(in: document) }
  }

  /// The account with that username or home account ID; without a name, the current one.
  ///
  /// The store is read once, and of it what concerns that account.
  ///
  /// - Parameter name: A username or a home account ID, in upper or lower case.
  /// - Throws: ``AuthenticationError``: nobody is signed in, nobody has that name, or several accounts fit.
  /// - Returns: The account.
  public func account(named name: String?) async throws(AuthenticationError) -> Account {
    try account(named: name, in: try await AuthenticationError.wrap { try await context.dependencies.store.load() })
  }

  func account(named name: String?, in document: TokenCacheDocument) throws(AuthenticationError) -> Account {
    if let account = try marked(name, in: document) { return account }
    let directory = AccountDirectory(context: context)
    if let name { throw AuthenticationError(notSignedIn: name, known: directory.withoutClaims.signedIn(in: document)) }
    let accounts = directory.signedIn(in: document)
    guard accounts.count < 2 else { throw AuthenticationError(ambiguous: accounts) }
    guard let account = accounts.first else { throw .nobodySignedIn }
    return account
  }

  /// The accounts that are signed in, sorted by username, and the one that ``account(named:)`` returns.
  package func accounts(marking name: String?, readingClaims: Bool) async throws(AuthenticationError)
    -> ([Account], marked: Account?)
  {
    try await AuthenticationError.wrap {
      let document = try await context.dependencies.store.load()
      let directory = AccountDirectory(context: context)
      let accounts = (readingClaims ? directory : directory.withoutClaims).signedIn(in: document)
      let only = name == nil && accounts.count == 1 ? accounts.first : nil
      return (accounts, (try? marked(name, in: document)) ?? only)
    }
  }

  /// The account with that username or home account ID; without a name, the one that is remembered as the current one.
  private func marked(_ name: String?, in document: TokenCacheDocument) throws(AuthenticationError) -> Account? {
    guard let name else { return CurrentAccountFlow(context: context).remembered(in: document) }
    return try AccountDirectory(context: context).signedIn(named: name, in: document).account(named: name)
  }

  /// The accounts with that username or home account ID that are signed in.
  func signedIn(named name: String) async throws(AuthenticationError) -> [Account] {
    try await AuthenticationError.wrap {
      AccountDirectory(context: context).signedIn(named: name, in: try await context.dependencies.store.load())
    }
  }

  /// Removes an account's tokens from the store without contacting the provider (MSAL: `remove(_:)`).
  ///
  /// - Parameter account: The account; other applications that share the store keep their tokens.
  /// - Throws: ``AuthenticationError`` when the store cannot be written.
  /// - Returns: Whether there were any.
  @discardableResult
  public func removeAccount(_ account: Account) async throws(AuthenticationError) -> Bool {
    try await AuthenticationError.wrap {
      let signOut = LocalSignOut(context: context, account: account, parameters: SignOutParameters())
      return try await LocalSignOut.run([signOut])[0].removedTokens
    }
  }

  /// Removes an access token from the store that a resource refused, so that the next call gets another one.
  ///
  /// - Parameter accessToken: The token; one that is not in the store, or is another application's, changes nothing.
  /// - Throws: ``AuthenticationError`` when the store cannot be written.
  /// - Returns: Whether it was there.
  @discardableResult
  public func discardAccessToken(_ accessToken: String) async throws(AuthenticationError) -> Bool {
    let (secret, clientID) = (Secret(accessToken), configuration.clientID)
    return try await AuthenticationError.wrap {
      // Without a lock where there is nothing to do.
      var copy = try await context.dependencies.store.load()
      guard copy.removeAccessToken(secret, clientID: clientID) else { return false }
      return try await context.dependencies.store.settled().change { document in
        document.removeAccessToken(secret, clientID: clientID)
      }
    }
  }

  /// Makes an account the current one, as a sign-in does: calls that name no account use it.
  ///
  /// - Parameter account: An account that is signed in.
  /// - Throws: ``AuthenticationError``; with `AuthenticationError.Code.accountRequired` it is not signed in.
  public func setCurrentAccount(_ account: Account) async throws(AuthenticationError) {
    try await AuthenticationError.wrap {
      try await context.dependencies.store.settled().change { document in
        let signedIn = AccountDirectory(context: context).withoutClaims.signedIn(in: document)
        guard let present = signedIn.first(where: { $0.identifier == account.identifier }) else {
          throw AuthenticationError(notSignedIn: account.username, known: signedIn)
        }
        CurrentAccountRecord(context: context, authority: configuration.authority).remember(present, in: &document)
      }
    }
  }

  /// What the store says of an account's session, without asking the provider.
  ///
  /// - Parameter account: The account.
  /// - Throws: ``AuthenticationError`` when the store cannot be read.
  /// - Returns: Until when its access token is valid, and whether it has to sign in again.
  public func sessionStatus(of account: Account) async throws(AuthenticationError) -> SessionStatus {
    try await AuthenticationError.wrap { try await SessionStatusFlow(context: context, account: account).run() }
  }

  /// The current account as ``currentAccount()`` returns it, without writing to the store: a change of account is
  /// reported again by the next call.
  package func currentAccountUnrecorded() async throws(AuthenticationError) -> CurrentAccount {
    try await AuthenticationError.wrap { try await CurrentAccountFlow(context: context, remembersAnswer: false).run() }
  }

  /// Whether an account is the one that ``currentAccountUnrecorded()`` returns.
  package func isCurrent(_ account: Account) async throws(AuthenticationError) -> Bool {
    try await AuthenticationError.wrap { try await CurrentAccountFlow(context: context).isCurrent(account) }
  }

  /// The current account as MSAL's `getCurrentAccount` returns it, which knows none where several are signed in.
  package func onlyAccount() async throws(AuthenticationError) -> CurrentAccount {
    try await logging(.currentAccount) { try await CurrentAccountFlow(context: context, allowsSeveral: false).run() }
  }

  /// Removes the caches that a sign-in set aside as damaged, with the tokens in them.
  package func removeDamagedCaches() async throws(AuthenticationError) {
    try await AuthenticationError.wrap { try await context.dependencies.store.settled().removeSetAside() }
  }
}
