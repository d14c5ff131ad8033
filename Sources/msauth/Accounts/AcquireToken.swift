import Core
import FoundationEssentials
import MSAuth

extension PublicClientApplication {
  /// A token for the account: silently, and through the browser where a sign-in is needed and allowed.
  ///
  /// - Throws: ``AuthenticationError``, also when the browser signs in somebody else than the one who was asked for.
  func token(
    scopes: [String],
    account name: String?,
    interactive: InteractiveTokenParameters?,
    meeting demands: ResourceDemands? = nil,
    _ adjust: (inout SilentTokenParameters) -> Void = { _ in }
  ) async throws -> TokenResult {
    var known: Account?
    do {
      let account = try await chosenAccount(name)
      known = account
      if demands?.needPerson == true { throw AuthenticationError.needsPerson }
      var parameters = SilentTokenParameters(scopes: scopes, account: account)
      parameters.claims = demands?.claims
      adjust(&parameters)
      return try await acquireTokenSilent(with: parameters)
    } catch let error as AuthenticationError {
      guard var interactive, error.code == .interactionRequired || error.code == .accountRequired else { throw error }
      interactive.account = known
      // The claims that the provider itself demands go before the resource's.
      interactive.claims = error.provider?.claims ?? demands?.claims
      interactive.acrValues = demands?.acrValues
      interactive.maxAge = demands?.maxAge
      if known == nil, let name { try await expect(name, in: &interactive) }
      let result = try await acquireToken(with: interactive)
      // The person may have picked another account, or the browser has taken the one it was signed in with.
      let names = [name, interactive.loginHint].compactMap { $0 }
      let isExpected =
        known.map { $0.identifier == result.account.identifier }
        ?? (names.isEmpty || names.contains(where: result.account.goes(by:)))
      guard isExpected else {
        throw AuthenticationError(other: result.account, insteadOf: known?.username ?? name ?? "")
      }
      return result
    }
  }

  /// Asks the provider for somebody who is not signed in.
  private func expect(_ name: String, in parameters: inout InteractiveTokenParameters) async throws {
    // Whom another application knows, this one knows by both names too.
    let everybody = try await accounts(for: AccountEnumerationParameters(returnsOnlySignedInAccounts: false))
    parameters.loginHint = everybody.first { $0.goes(by: name) }?.username ?? name
    // An identifier means nothing to the person or the provider, so it is no login hint; the result is compared with it.
    if parameters.loginHint.map(Account.isIdentifier) == true {
      parameters.loginHint = nil
      parameters.expectedIdentifier = name
    }
  }
}

extension Account {
  /// Whether that is its username or its identifier.
  fileprivate func goes(by name: String) -> Bool {
    [username, identifier].contains { $0.lowercased() == name.lowercased() }
  }

  /// Whether a string is one of Microsoft's identifiers, `<uid>.<utid>`, which nobody signs in with.
  fileprivate static func isIdentifier(_ string: String) -> Bool {
    let halves = string.split(separator: ".", omittingEmptySubsequences: false)
    return halves.count == 2 && halves.allSatisfy { UUID(uuidString: String($0)) != nil }
  }
}

extension AuthenticationError {
  /// The browser signed somebody in, and not the one who was asked for.
  fileprivate init(other: Account, insteadOf name: String) {
    let (other, name) = (other.username.printable(), name.printable())
    self.init(
      .accountRequired,
      "\(other) signed in, and a token of \(name) was asked for",
      reason: .otherAccount,
      remedy: .advice(
        "\(other) stays signed in; try again and choose \(name) in the browser, or ask with --account \(other)"
      )
    )
  }

  /// A resource wants a newer or stronger sign-in (RFC 9470).
  fileprivate static var needsPerson: AuthenticationError {
    AuthenticationError(
      .interactionRequired,
      "the resource demands a newer or stronger sign-in",
      reason: .insufficientUserAuthentication,
      remedy: .advice("add --interactive to sign in now")
    )
  }
}
