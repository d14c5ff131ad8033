import MSAuth
import Primitives

extension PublicClientApplication {
  /// The account that a command is about: the one named, else the current one.
  ///
  /// - Parameter name: A username or a home account id, or nil.
  /// - Throws: ``AuthenticationError``: nobody is signed in, nobody has that name, or several fit.
  /// - Returns: The account.
  func chosenAccount(_ name: String?) throws -> Account {
    if let name {
      if let account = try account(forIdentifier: name) { return account }
      if let account = try account(forUsername: name) { return account }
      let known = try accounts().map { $0.username.printable() }.joined(separator: ", ")
      throw AuthenticationError(
        .accountRequired,
        "\(name.printable()) is not signed in",
        reason: "account_unknown",
        hint: known.isEmpty ? "run msauth login" : "signed in: \(known)"
      )
    }
    // Not `currentAccount()`: that would use up what `msauth status` is to tell of the account before.
    let accounts = try accounts()
    guard accounts.count < 2 else { throw AuthenticationError(ambiguous: accounts) }
    if let account = accounts.first { return account }
    throw AuthenticationError(
      .accountRequired,
      "nobody is signed in",
      reason: "no_account",
      hint: "run msauth login"
    )
  }

  /// A token for the account, silently, and through the browser where a person is needed and allowed.
  func token(
    scopes: [String],
    account name: String?,
    interactive: InteractiveTokenParameters?,
    meeting demands: ResourceDemands? = nil,
    _ adjust: (inout SilentTokenParameters) -> Void = { _ in }
  ) async throws -> TokenResult {
    var interactive = interactive
    if let demands {
      interactive?.claims = demands.claims
      interactive?.acrValues = demands.acrValues
      interactive?.maxAge = demands.maxAge
    }
    do {
      if demands?.needPerson == true { throw AuthenticationError.needsPerson }
      var parameters = SilentTokenParameters(scopes: scopes, account: try chosenAccount(name))
      parameters.claims = demands?.claims
      adjust(&parameters)
      return try await acquireTokenSilent(with: parameters)
    } catch let error as AuthenticationError {
      guard let interactive, error.code == .interactionRequired || error.code == .accountRequired else { throw error }
      return try await acquireToken(with: interactive)
    }
  }
}

extension AuthenticationError {
  /// A resource wants a newer or stronger sign-in (RFC 9470).
  fileprivate static var needsPerson: AuthenticationError {
    AuthenticationError(
      .interactionRequired,
      "the resource demands a newer or stronger sign-in",
      reason: "insufficient_user_authentication",
      hint: "add --interactive to sign in now"
    )
  }
}
