extension PublicClientApplication {
  /// The accounts that match, sorted by username (MSAL: `accounts(for:)`).
  ///
  /// - Parameter parameters: Which accounts to list.
  /// - Throws: ``AuthenticationError`` when the store cannot be read.
  /// - Returns: The accounts.
  public func accounts(for parameters: AccountEnumerationParameters) async throws(AuthenticationError) -> [Account] {
    let directory = AccountDirectory(context: context)
    let document = try await AuthenticationError.wrap { try await context.dependencies.store.read() }
    let accounts =
      parameters.returnsOnlySignedInAccounts ? directory.signedIn(in: document) : directory.all(in: document)
    return accounts.filter { parameters.matches($0) }
  }

  /// Removes an account's tokens from the store without contacting the provider (MSAL: `remove(_:)`).
  ///
  /// - Parameter account: The account; other applications that share the store keep their tokens.
  /// - Throws: ``AuthenticationError`` when the store cannot be written.
  /// - Returns: Whether there were any.
  @discardableResult
  public func removeAccount(_ account: Account) async throws(AuthenticationError) -> Bool {
    try await AuthenticationError.wrap {
      try await LocalSignOut(context: context, account: account, parameters: SignOutParameters()).run().removedTokens
    }
  }

  /// The current account as ``currentAccount()`` returns it, without writing to the store: a change of account is
  /// reported again by the next call.
  package func currentAccountUnrecorded() async throws -> CurrentAccount {
    try await AuthenticationError.wrap { try await CurrentAccountFlow(context: context, remembersAnswer: false).run() }
  }

  /// Removes the caches that a sign-in set aside as damaged, with the tokens in them.
  package func removeDamagedCaches() async throws {
    try await AuthenticationError.wrap { try await context.dependencies.store.removeSetAside() }
  }
}
