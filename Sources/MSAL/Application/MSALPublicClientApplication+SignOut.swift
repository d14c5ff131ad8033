import MSAuth

/// Receives whether a sign-out succeeded, and an error.
public typealias MSALSignoutCompletionBlock = (Bool, (any Error)?) -> Void

extension MSALPublicClientApplication {
  /// Removes an account's tokens from the store, without contacting the provider.
  ///
  /// Blocks for up to 10 seconds while a keyring is unlocked or another process writes the store. After that it throws, but a
  /// write that has begun still completes.
  ///
  /// - Parameter account: The account.
  /// - Throws: `NSError` in ``MSALErrorDomain`` if the store can't be written.
  public func remove(_ account: MSALAccount) throws {
    let (application, account) = (application, account.account)
    _ = try withNSErrors(about: account) { try blocking { try await application.removeAccount(account) } }
    externalAccounts.remove(account)
  }

  /// Signs out one account on this computer and, if the parameters request it, in the browser.
  ///
  /// - Parameters:
  ///   - account: The account.
  ///   - signoutParameters: What the sign-out includes.
  ///   - completionBlock: Receives whether it succeeded, on the main queue unless the parameters name another. A sign-out
  ///     page that the application canceled is reported as success, as in MSAL: the account was removed here.
  @preconcurrency
  public func signout(
    with account: MSALAccount,
    signoutParameters: MSALSignoutParameters,
    completionBlock: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    let completion: @Sendable (Void?, (any Error)?) -> Void = { completionBlock($1 == nil, $1) }
    let queue = signoutParameters.completionBlockQueue ?? .main
    complete(completion, on: queue, signingOut(account, signoutParameters))
  }

  /// Signs out one account on this computer and, if the parameters request it, in the browser; returns true.
  @discardableResult
  public func signout(with account: MSALAccount, signoutParameters: MSALSignoutParameters) async throws -> Bool {
    try await signingOut(account, signoutParameters)()
    return true
  }

  private func signingOut(
    _ account: MSALAccount,
    _ parameters: MSALSignoutParameters
  ) -> @Sendable () async throws -> Void {
    let (application, externalAccounts, account) = (application, externalAccounts, account.account)
    let prepared = Result {
      var request = parameters.signOutParameters()
      // On a shared device the library signs out in the browser too, whatever the application requests.
      let usesBrowser = request.fromBrowser || application.isOnSharedDevice
      let session = usesBrowser ? try InteractiveSession.begin() : nil
      request.onEvent = { session?.handle($0) }
      return (request, session)
    }
    return {
      let (request, session) = try prepared.get()
      let signOut = { @Sendable in try await application.signOut(account, with: request) }
      try await withNSErrors(about: account) {
        let report = if let session { try await session.run(signOut) } else { try await signOut() }
        externalAccounts.remove(account)
        guard let session else { return }
        if let failure = session.failure { throw failure }
        guard [.failed, .notOpened].contains(report.browser), !session.isCancelled else { return }
        let problems = report.problems.joined(separator: "; ")
        // The code and the hint are those of the first problem.
        guard report.problems.count == 1 else { throw AuthenticationError(.internalError, problems) }
        throw AuthenticationError(report.code ?? .internalError, problems, hint: report.hint)
      }
    }
  }
}
