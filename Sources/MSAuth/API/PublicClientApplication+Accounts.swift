import FoundationEssentials

extension PublicClientApplication {
  /// The accounts that match a filter, sorted by username (MSAL: `accounts(for:)`).
  ///
  /// - Parameter filter: Which accounts to list.
  /// - Throws: ``AuthenticationError`` if the store can't be read.
  /// - Returns: The accounts.
  public func accounts(matching filter: AccountFilter) async throws(AuthenticationError) -> [Account] {
    let document = try await AuthenticationError.wrap { try await context.store.load() }
    let directories =
      filter.ofEveryProvider
      ? AccountDirectory.all(context: context, in: document) : [AccountDirectory(context: context)]
    return directories.flatMap { filter.includesSignedOut ? $0.all(in: document) : $0.signedIn(in: document) }
      .filter(filter.matches)
  }

  /// The account with that username or home account ID; without a name, the current one.
  ///
  /// - Parameter name: A username or a home account ID, in upper or lower case.
  /// - Throws: ``AuthenticationError``: no account is signed in, none has that name, or several accounts match.
  /// - Returns: The account.
  public func account(named name: String?) async throws(AuthenticationError) -> Account {
    try account(named: name, in: try await AuthenticationError.wrap { try await context.store.load() })
  }

  func account(named name: String?, in document: TokenCacheDocument) throws(AuthenticationError) -> Account {
    let directory = AccountDirectory(context: context)
    if let name {
      if let account = try directory.signedIn(named: name, in: document).account(named: name) { return account }
      throw AuthenticationError(notSignedIn: name, known: directory.signedIn(in: document))
    }
    if let remembered = CurrentAccountFlow(context: context).remembered(in: document) { return remembered }
    let accounts = directory.signedIn(in: document)
    guard accounts.count < 2 else { throw AuthenticationError(ambiguous: accounts) }
    guard let account = accounts.first else { throw AuthenticationError.nobodySignedIn }
    return account
  }

  /// The current account and, if it changed since the last call that remembers, the previous one (MSAL:
  /// `getCurrentAccount`).
  ///
  /// The account that signed in last at the configured authority is the current one, or the one that
  /// ``setCurrentAccount(_:)`` named since.
  ///
  /// - Parameter remembers: Whether a change is reported once; false doesn't write to the store.
  /// - Throws: ``AuthenticationError``; with `AuthenticationError.Code.ambiguousAccount` if several are signed in, and none
  ///   of them through this application.
  /// - Returns: Both accounts.
  public func currentAccount(remembers: Bool) async throws(AuthenticationError) -> CurrentAccount {
    try await logging(.currentAccount) {
      try await CurrentAccountFlow(context: context, remembersAnswer: remembers).run()
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
      var copy = try await context.store.load()
      guard copy.removeAccessToken(secret, clientID: clientID) else { return false }
      return try await context.store.settled().change { document in
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
      try await context.store.settled().change { document in
        let signedIn = AccountDirectory(context: context).signedIn(in: document)
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
    try await AuthenticationError.wrap { try await SessionStatus(of: account, in: context) }
  }
}

extension [Account] {
  /// The account with that username or home account ID, in any case of letters, unless that distinguishes two.
  func account(named name: String) throws(AuthenticationError) -> Account? {
    func matching(_ value: (Account) -> String) -> [Account] {
      let exact = filter { value($0).isIdentical(to: name) }
      return exact.isEmpty ? filter { value($0).lowercased() == name.lowercased() } : exact
    }
    var found = matching(\.identifier)
    if found.isEmpty { found = matching(\.username) }
    guard found.count < 2 else { throw AuthenticationError(ambiguous: found) }
    return found.first
  }
}

extension Account {
  /// Whether this is its username or its identifier, in upper or lower case.
  ///
  /// - Parameter name: The name to compare with.
  /// - Returns: Whether it is.
  public func isNamed(_ name: String) -> Bool {
    [username, identifier].contains { $0.lowercased() == name.lowercased() }
  }

  /// Whether a string is one of Microsoft's identifiers, `<uid>.<utid>`, which no user signs in with.
  ///
  /// - Parameter string: The string.
  /// - Returns: Whether it is.
  public static func isIdentifier(_ string: String) -> Bool {
    let halves = string.split(separator: ".", omittingEmptySubsequences: false)
    return halves.count == 2 && halves.allSatisfy { UUID(uuidString: String($0)) != nil }
  }
}

extension AuthenticationError {
  /// The browser signed in another account than the expected one.
  init(other: Account, insteadOf name: String) {
    self.init(
      .accountRequired,
      "\(other.username.printable()) signed in, and a token of \(name.printable()) was asked for",
      reason: .otherAccount,
      hint: .chooseExpectedAccount(name, signedIn: other.username)
    )
  }

  /// The named account is not signed in.
  init(notSignedIn name: String, known: [Account]) {
    let names = known.map(\.username)
    let near = nearest(Self.listedAccounts, to: name, in: names)
    let others = names.filter { name in !near.contains { $0.isIdentical(to: name) } }
    let listed = (near + others).prefix(Self.listedAccounts)
    let more = names.count == listed.count ? "" : " and \(names.count - listed.count) more"
    self.init(
      .accountRequired,
      "\(name.printable()) is not signed in",
      reason: "account_unknown",
      hint: names.isEmpty
        ? .signIn
        : "\(signIn: [], account: name), or name one that is signed in: \(listed.joined(separator: ", "))\(more)"
    )
  }

  private static let listedAccounts = 5

  static var nobodySignedIn: AuthenticationError {
    AuthenticationError(.accountRequired, "nobody is signed in", reason: "no_account", hint: .signIn)
  }

  /// A resource demands a newer or stronger sign-in (RFC 9470).
  static var needsPerson: AuthenticationError {
    AuthenticationError(
      .interactionRequired,
      "the resource demands a newer or stronger sign-in",
      reason: "insufficient_user_authentication",
      hint: "add \(setting: "interactive", or: "parameters of an interactive sign-in") to sign in now"
    )
  }
}
