extension PublicClientApplication {
  /// The accounts that fit, in order of their names (MSAL: `accounts(for:)`).
  ///
  /// - Parameter parameters: Which accounts.
  /// - Throws: ``AuthenticationError`` when the store cannot be read.
  /// - Returns: The accounts.
  public func accounts(for parameters: AccountEnumerationParameters) async throws -> [Account] {
    let directory = AccountDirectory(configuration: configuration, device: dependencies.device)
    let document = try await AuthenticationError.wrap { try await dependencies.store.read() }
    let accounts =
      parameters.returnsOnlySignedInAccounts ? directory.signedIn(in: document) : directory.all(in: document)
    return accounts.filter { parameters.fits($0) }
  }

  /// Removes an account's tokens from the store, and tells nobody (MSAL: `remove(_:)`).
  ///
  /// - Parameter account: Whose tokens; other applications that share the store keep theirs.
  /// - Throws: ``AuthenticationError`` when the store cannot be written.
  /// - Returns: Whether there were any.
  @discardableResult
  public func removeAccount(_ account: Account) async throws -> Bool {
    do {
      return try await LocalSignOut(
        configuration: configuration,
        dependencies: dependencies,
        account: account,
        parameters: SignOutParameters()
      ).run().removedTokens
    } catch {
      throw AuthenticationError(wrapping: error)
    }
  }
}
