import Dispatch
import Foundation
import MSAuth

/// Receives accounts, or why there are none.
public typealias MSALAccountsCompletionBlock = ([MSALAccount]?, (any Error)?) -> Void
/// Receives the current account, the one before if it changed, and what went wrong.
public typealias MSALCurrentAccountCompletionBlock = (MSALAccount?, MSALAccount?, (any Error)?) -> Void

extension MSALPublicClientApplication {
  /// The accounts that are signed in to this application.
  ///
  /// Blocks for up to 10 seconds while a keyring starts or is unlocked; ``accountsFromDevice(for:)`` doesn't block.
  ///
  /// - Throws: `NSError` in ``MSALErrorDomain`` when the store cannot be read.
  /// - Returns: The accounts, in order of their names.
  public func allAccounts() throws -> [MSALAccount] {
    try accounts(for: MSALAccountEnumerationParameters())
  }

  /// The account with that home account id.
  ///
  /// - Parameter identifier: The home account id, in any case of letters.
  /// - Throws: `NSError` in ``MSALErrorDomain``; with ``MSALInternalError/accountRequired`` it is not signed in.
  /// - Returns: The account.
  public func account(forIdentifier identifier: String) throws -> MSALAccount {
    try first(MSALAccountEnumerationParameters(identifier: identifier))
  }

  /// The account with that username; the first one when several have it, as in MSAL.
  ///
  /// - Parameter username: The username, in any case of letters.
  /// - Throws: `NSError` in ``MSALErrorDomain``; with ``MSALInternalError/accountRequired`` it is not signed in.
  /// - Returns: The account.
  public func account(forUsername username: String) throws -> MSALAccount {
    guard !username.isEmpty else { throw MSALInternalError.invalidParameter.error("the username is empty") }
    return try first(MSALAccountEnumerationParameters(identifier: nil, username: username))
  }

  /// The accounts that fit.
  ///
  /// - Parameter parameters: Which accounts.
  /// - Throws: `NSError` in ``MSALErrorDomain`` when the store cannot be read.
  /// - Returns: The accounts, in order of their names.
  public func accounts(for parameters: MSALAccountEnumerationParameters) throws -> [MSALAccount] {
    let (application, record) = (application, parameters.record)
    let own = try nsError {
      try blocking { try await application.accounts(matching: record) }
        .map { MSALAccount($0, isListed: true) }
    }
    return own + externalAccounts.list(parameters, besides: own)
  }

  /// The accounts that fit; the same as ``accounts(for:)`` on Linux, where no broker knows more.
  ///
  /// - Parameters:
  ///   - parameters: Which accounts.
  ///   - completionBlock: Gets the accounts, on any queue unless the parameters name one.
  @preconcurrency
  public func accountsFromDevice(
    for parameters: MSALAccountEnumerationParameters,
    completionBlock: @escaping @Sendable ([MSALAccount]?, (any Error)?) -> Void
  ) {
    // Unsafe because it is not sendable; this is the only reference to the copy.
    nonisolated(unsafe) let copy = parameters.copied()
    CompletionQueue(parameters, default: .global()).finish {
      try await self.accountsFromDevice(for: copy)
    } _: { result in
      completionBlock(result.value, result.error)
    }
  }

  /// The accounts that fit; the same as ``accounts(for:)`` on Linux, where no broker knows more.
  ///
  /// - Parameter parameters: Which accounts.
  /// - Returns: The accounts, in order of their names.
  /// - Throws: `NSError` in ``MSALErrorDomain`` when the store cannot be read.
  public func accountsFromDevice(for parameters: MSALAccountEnumerationParameters) async throws -> [MSALAccount] {
    do {
      let own = try await application.accounts(matching: parameters.record).map { MSALAccount($0, isListed: true) }
      return own + externalAccounts.list(parameters, besides: own)
    } catch {
      throw NSError(wrapping: error)
    }
  }

  /// The account of the moment and, if it changed since the last call, the one before.
  ///
  /// - Parameters:
  ///   - parameters: Where the completion block runs; nil for any queue.
  ///   - completionBlock: Gets both; with ``MSALInternalError/ambiguousAccount`` several accounts are signed in.
  @preconcurrency
  public func getCurrentAccount(
    with parameters: MSALParameters?,
    completionBlock: @escaping @Sendable (MSALAccount?, MSALAccount?, (any Error)?) -> Void
  ) {
    CompletionQueue(parameters, default: .global()).finish(currentAccounts()) { result in
      completionBlock(result.value?.0, result.value?.1, result.error)
    }
  }

  /// The account of the moment and, if it changed since the last call, the one before.
  ///
  /// - Parameter parameters: Has no effect here.
  /// - Returns: The current and the previous account.
  /// - Throws: `NSError` in ``MSALErrorDomain``; with ``MSALInternalError/ambiguousAccount`` several accounts are signed
  ///   in.
  public func currentAccount(with parameters: MSALParameters?) async throws -> (MSALAccount?, MSALAccount?) {
    try await currentAccounts()()
  }

  private func currentAccounts() -> @Sendable () async throws -> (MSALAccount?, MSALAccount?) {
    let application = application
    return {
      do {
        // MSAL has no current account if several are signed in.
        let accounts = try await application.accounts()
        guard accounts.count < 2 else { throw AuthenticationError(ambiguous: accounts) }
        let pair = try await application.currentAccount()
        return (
          pair.account.map { MSALAccount($0, isListed: true) },
          pair.previousAccount.map { MSALAccount($0, isListed: false) }
        )
      } catch {
        throw NSError(wrapping: error)
      }
    }
  }

  private func first(_ parameters: MSALAccountEnumerationParameters) throws -> MSALAccount {
    guard let account = try accounts(for: parameters).first else {
      throw MSALInternalError.accountRequired.error("no such account is signed in")
    }
    return account
  }
}
