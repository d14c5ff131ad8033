import MSAuth

/// Receives accounts or an error.
public typealias MSALAccountsCompletionBlock = ([MSALAccount]?, (any Error)?) -> Void
/// Receives the current account, the previous one if it changed, and an error.
public typealias MSALCurrentAccountCompletionBlock = (MSALAccount?, MSALAccount?, (any Error)?) -> Void

extension MSALPublicClientApplication {
  /// The accounts that are signed in to this application.
  ///
  /// Blocks for up to 10 seconds while a keyring starts or is unlocked; ``accountsFromDevice(for:)`` doesn't block.
  ///
  /// - Throws: `NSError` in ``MSALErrorDomain`` if the store can't be read.
  /// - Returns: The accounts, sorted by username.
  public func allAccounts() throws -> [MSALAccount] {
    try accounts(for: MSALAccountEnumerationParameters())
  }

  /// The account with that home account ID, ignoring case; throws ``MSALInternalError/accountRequired`` if it isn't
  /// signed in.
  public func account(forIdentifier identifier: String) throws -> MSALAccount {
    // An application may have stored it in another case.
    let all = try allAccounts().filter { $0.identifier?.isEqual(ignoringCase: identifier) == true }
    let exact = all.first { $0.identifier?.isIdentical(to: identifier) == true }
    guard let account = exact ?? all.first else { throw Self.noAccount }
    return account
  }

  /// The account with that username, ignoring case; the first of several, as in MSAL.
  public func account(forUsername username: String) throws -> MSALAccount {
    guard !username.isEmpty else { throw MSALInternalError.invalidParameter.error("the username is empty") }
    let matching = try accounts(for: MSALAccountEnumerationParameters(identifier: nil, username: username))
    guard let account = matching.first else { throw Self.noAccount }
    return account
  }

  /// The matching accounts, sorted by username.
  public func accounts(for parameters: MSALAccountEnumerationParameters) throws -> [MSALAccount] {
    let (application, filter) = (application, parameters.filter)
    let accounts = try withNSErrors { try blocking { try await application.accounts(matching: filter) } }
    return externalAccounts.merged(with: accounts, matching: parameters)
  }

  /// The matching accounts, including those of the device's identity broker, like ``accounts(for:)``.
  @preconcurrency
  public func accountsFromDevice(
    for parameters: MSALAccountEnumerationParameters,
    completionBlock: @escaping @Sendable ([MSALAccount]?, (any Error)?) -> Void
  ) {
    // Unsafe because it is not sendable; this is the only reference to the copy.
    nonisolated(unsafe) let copy = parameters.copied()
    complete(completionBlock, on: parameters.completionBlockQueue ?? .global()) {
      try await self.accountsFromDevice(for: copy)
    }
  }

  /// The matching accounts, including those of the device's identity broker, like ``accounts(for:)``.
  public func accountsFromDevice(for parameters: MSALAccountEnumerationParameters) async throws -> [MSALAccount] {
    let accounts = try await withNSErrors { try await application.accounts(matching: parameters.filter) }
    return externalAccounts.merged(with: accounts, matching: parameters)
  }

  /// The current account and, if it changed, the previous one; ``MSALInternalError/ambiguousAccount`` if several are
  /// signed in.
  @preconcurrency
  public func getCurrentAccount(
    with parameters: MSALParameters?,
    completionBlock: @escaping @Sendable (MSALAccount?, MSALAccount?, (any Error)?) -> Void
  ) {
    let completion: @Sendable ((MSALAccount?, MSALAccount?)?, (any Error)?) -> Void = { accounts, error in
      completionBlock(accounts?.0, accounts?.1, error)
    }
    complete(completion, on: parameters?.completionBlockQueue ?? .global()) { try await self.currentAccount(with: nil) }
  }

  /// The current account and, if it changed, the previous one; ``MSALInternalError/ambiguousAccount`` if several are
  /// signed in.
  public func currentAccount(with parameters: MSALParameters?) async throws -> (MSALAccount?, MSALAccount?) {
    try await withNSErrors {
      // MSAL has no current account if several are signed in.
      let accounts = try await application.storedAccounts()
      guard accounts.count < 2 else { throw AuthenticationError(ambiguous: accounts) }
      let pair = try await application.currentAccount()
      let previous = pair.previousAccount.map { MSALAccount($0, isListed: false) }
      return (pair.account.map { MSALAccount($0, isListed: true) }, previous)
    }
  }

  private static var noAccount: NSError { MSALInternalError.accountRequired.error("no such account is signed in") }
}
