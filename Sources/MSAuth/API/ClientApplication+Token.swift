import Core
import FoundationEssentials

extension ClientApplication {
  /// Returns a token: silently if possible, else through the browser.
  ///
  /// Call it before every request. ``token(with:)`` takes more parameters, such as a timeout or a prompt.
  ///
  /// - Parameters:
  ///   - account: The account; nil for the current one, or the one that signs in if there is none.
  ///   - scopes: The scopes that the access token must have.
  ///   - interactive: Whether the browser may be opened.
  /// - Throws: ``AuthenticationError``, as ``token(with:)`` does.
  /// - Returns: The token and its account.
  public func token(
    for account: Account? = nil,
    scopes: [String],
    interactive: Bool = true
  ) async throws(AuthenticationError) -> TokenResult {
    var parameters = TokenParameters(scopes: scopes, account: account)
    if !interactive { parameters.interactive = nil }
    return try await token(with: parameters)
  }

  /// Returns a token: silently if possible, else through the browser if that is allowed.
  ///
  /// - Parameter parameters: What to ask for, and how to ask in the browser.
  /// - Throws: ``AuthenticationError``: with `AuthenticationError.Code.interactionRequired` or
  ///   `AuthenticationError.Code.accountRequired` if a person is needed and the browser may not be opened; with
  ///   `AuthenticationError.Code.ambiguousAccount` if several accounts fit; with the reason
  ///   `AuthenticationError.Reason.otherAccount` if another account than the named one signed in, which stays so.
  /// - Returns: The token and its account.
  public func token(with parameters: TokenParameters) async throws(AuthenticationError) -> TokenResult {
    try await token(with: parameters, startedAt: nil) {
      (
        account: { name async throws(AuthenticationError) in try await account(named: name) },
        token: { silent async throws(AuthenticationError) in try await acquireTokenSilent(with: silent) }
      )
    }
  }

  /// How ``token(with:)`` finds an account, and gets its token silently.
  typealias SilentCalls = (
    account: (String?) async throws(AuthenticationError) -> Account,
    token: (SilentTokenParameters) async throws(AuthenticationError) -> TokenResult
  )

  func token(
    with parameters: TokenParameters,
    startedAt start: UnixTime?,
    silently: () async throws(AuthenticationError) -> SilentCalls
  ) async throws(AuthenticationError) -> TokenResult {
    var known = parameters.account
    let failure: AuthenticationError
    do throws(AuthenticationError) {
      let calls = try await silently()
      let account: Account
      if let known { account = known } else { account = try await calls.account(parameters.username) }
      known = account
      if parameters.demands?.needsPerson == true { throw .needsPerson }
      return try await calls.token(parameters.silent(for: account))
    } catch {
      failure = error
    }
    let needsPerson = failure.code == .interactionRequired || failure.code == .accountRequired
    guard needsPerson, var interactive = parameters.interactive(after: failure) else { throw failure }

    interactive.account = known ?? interactive.account
    interactive.newerThan = parameters.needsNewToken ? start : nil
    var names: [String] = []
    if known == nil, let name = parameters.username {
      names = [name]
      // An account that only another application is signed in to has a username too.
      let all = try await accounts(for: AccountEnumerationParameters(returnsOnlySignedInAccounts: false))
      if let username = all.first(where: { $0.isNamed(name) })?.username { names.append(username) }
      // An identifier means nothing to the person or the provider, so it is no login hint; the result is compared with it.
      interactive.loginHint = names.last.flatMap { Account.isIdentifier($0) ? nil : $0 }
      if interactive.loginHint == nil { interactive.expectedIdentifier = name }
    }
    let result = try await acquireToken(with: interactive)
    // The person may have picked another account, or the browser has taken the one it was signed in with.
    let isExpected =
      known.map { $0.identifier == result.account.identifier }
      ?? (names.isEmpty || names.contains(where: result.account.isNamed))
    guard isExpected else {
      throw AuthenticationError(other: result.account, insteadOf: known?.username ?? parameters.username ?? "")
    }
    return result
  }

  /// The account with that username or home account ID; without a name, the current one.
  ///
  /// - Parameter name: A username or a home account ID, in upper or lower case.
  /// - Throws: ``AuthenticationError``: nobody is signed in, nobody has that name, or several accounts fit.
  /// - Returns: The account.
  public func account(named name: String?) async throws(AuthenticationError) -> Account {
    let accounts = try await accounts()
    guard let name else {
      // `currentAccount()` reports a change of account once, and none where one of several is the current one.
      if accounts.count > 1, let current = try await currentAccount().account { return current }
      if let account = accounts.first { return account }
      throw AuthenticationError.nobodySignedIn
    }
    if let account = try accounts.account(named: name) { return account }
    throw AuthenticationError(notSignedIn: name, known: accounts)
  }
}

extension [Account] {
  /// The account with that username or home account ID.
  func account(named name: String) throws(AuthenticationError) -> Account? {
    if let account = try account(having: name, as: \.identifier) { return account }
    return try account(having: name, as: \.username)
  }

  /// The account that has a value to the letter, which may be all that distinguishes two; else in upper or lower case.
  package func account(having wanted: String, as value: (Account) -> String) throws(AuthenticationError) -> Account? {
    let exact = filter { value($0).isIdentical(to: wanted) }
    let matching = exact.isEmpty ? filter { value($0).lowercased() == wanted.lowercased() } : exact
    guard matching.count < 2 else { throw AuthenticationError(ambiguous: matching) }
    return matching.first
  }
}

extension TokenParameters {
  /// Whether the stored access token is of no use.
  fileprivate var needsNewToken: Bool { forceRefresh || demands?.needsNewToken == true }

  fileprivate func silent(for account: Account) -> SilentTokenParameters {
    var silent = SilentTokenParameters(scopes: allScopes, account: account)
    silent.authority = authority
    silent.forceRefresh = needsNewToken
    silent.minimumValidity = minimumValidity
    silent.requiresIDToken = requiresIDToken
    silent.claims = demands?.claims
    return silent
  }

  fileprivate func interactive(after failure: AuthenticationError) -> InteractiveTokenParameters? {
    guard var interactive else { return nil }
    interactive.scopes = allScopes
    interactive.requiresIDToken = requiresIDToken
    interactive.authority = authority ?? interactive.authority
    // The claims that the provider itself demands go before the resource's.
    interactive.claims = failure.provider?.claims ?? demands?.claims ?? interactive.claims
    interactive.acrValues = demands?.acrValues ?? interactive.acrValues
    interactive.maxAge = demands?.maxAge ?? interactive.maxAge
    return interactive
  }
}

extension Account {
  /// Whether that is its username or its identifier.
  package func isNamed(_ name: String) -> Bool {
    [username, identifier].contains { $0.lowercased() == name.lowercased() }
  }

  /// Whether a string is one of Microsoft's identifiers, `<uid>.<utid>`, which nobody signs in with.
  package static func isIdentifier(_ string: String) -> Bool {
    let halves = string.split(separator: ".", omittingEmptySubsequences: false)
    return halves.count == 2 && halves.allSatisfy { UUID(uuidString: String($0)) != nil }
  }
}

extension AuthenticationError {
  /// The browser signed in another account than the expected one.
  fileprivate init(other: Account, insteadOf name: String) {
    self.init(
      .accountRequired,
      "\(other.username.printable()) signed in, and a token of \(name.printable()) was asked for",
      reason: .otherAccount,
      hint: .chooseExpectedAccount(name, signedIn: other.username)
    )
  }

  /// An account is named that is not signed in.
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

  /// As many accounts as a person reads.
  private static let listedAccounts = 5

  /// There is no account.
  static var nobodySignedIn: AuthenticationError {
    AuthenticationError(.accountRequired, "nobody is signed in", reason: "no_account", hint: .signIn)
  }

  /// A resource demands a newer or stronger sign-in (RFC 9470).
  fileprivate static var needsPerson: AuthenticationError {
    AuthenticationError(
      .interactionRequired,
      "the resource demands a newer or stronger sign-in",
      reason: "insufficient_user_authentication",
      hint: "add \(setting: "interactive", or: "parameters of an interactive sign-in") to sign in now"
    )
  }
}
