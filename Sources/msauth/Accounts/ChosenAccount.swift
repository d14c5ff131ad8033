import Core
import MSAuth

extension PublicClientApplication {
  /// The account that a command is about: the named one, else the only one.
  ///
  /// - Parameter name: A username or a home account ID, or nil.
  /// - Throws: ``AuthenticationError``: nobody is signed in, nobody has that name, or several fit.
  /// - Returns: The account.
  func chosenAccount(_ name: String?) async throws -> Account {
    if let name {
      if let account = try await account(forIdentifier: name) { return account }
      if let account = try await account(forUsername: name) { return account }
      let known = try await accounts().map { $0.username.printable() }.joined(separator: ", ")
      throw AuthenticationError(
        .accountRequired,
        "\(name.printable()) is not signed in",
        reason: .accountUnknown,
        remedy: known.isEmpty ? .signIn() : .advice("signed in: \(known)")
      )
    }
    // Not `currentAccount()`: that would use up the change of account that `msauth status` reports.
    let accounts = try await accounts()
    guard accounts.count < 2 else { throw AuthenticationError(ambiguous: accounts) }
    if let account = accounts.first { return account }
    throw AuthenticationError(
      .accountRequired,
      "nobody is signed in",
      reason: .noAccount,
      remedy: .signIn()
    )
  }
}
