import OAuth
import Primitives
import TokenCache

/// The rule that one person is signed in at a time: to an application in single account mode, and to all applications
/// together on a shared device.
struct SingleAccount: Sendable {
  let configuration: Configuration
  let surroundings: Surroundings

  /// The parameters of a sign-in as they have to be here: as the person who is signed in already, if there is one.
  ///
  /// - Parameter parameters: What the application asks for.
  /// - Returns: The same, with the person's name filled in where only that person may come.
  /// - Throws: ``AuthenticationError`` when somebody else is expected.
  func fitted(_ parameters: InteractiveTokenParameters) throws -> InteractiveTokenParameters {
    let authority = (parameters.authority ?? configuration.authority).rule
    guard let present = present(at: authority, in: try surroundings.store.read()).first else { return parameters }
    if let expected = parameters.account?.username ?? parameters.loginHint,
      ![present.username, present.identifier].contains(where: { $0.lowercased() == expected.lowercased() })
    {
      throw taken(by: present)
    }
    var parameters = parameters
    parameters.loginHint = present.username
    return parameters
  }

  /// Refuses somebody who signed in while another person still is, as MSAL's single-account applications do.
  ///
  /// - Parameters:
  ///   - newcomer: Who signed in.
  ///   - authority: Where.
  ///   - document: The cache.
  /// - Throws: ``AuthenticationError`` with ``AuthenticationError/Code/ambiguousAccount``.
  func admit(_ newcomer: Principal, at authority: OAuth.Authority, to document: TokenCacheDocument) throws {
    let other = present(at: authority, in: document).first { $0.identifier != newcomer.homeAccountID }
    if let other { throw taken(by: other) }
  }

  /// Refuses a sign-in of an application that does not support a shared device on one.
  func checkDevice() throws {
    guard surroundings.device.mode == .shared, !configuration.supportsSharedDevice else { return }
    throw AuthenticationError(
      .invalidConfiguration,
      "this device is shared, and this application's configuration says that it does not support that",
      reason: "shared_device_unsupported",
      hint: "use an application that does, or take \"shared_device_mode_supported\": false out of its configuration"
    )
  }

  /// Who is there already, as far as the rule holds.
  private func present(at authority: OAuth.Authority, in document: TokenCacheDocument) -> [Account] {
    let directory = AccountDirectory(configuration: configuration, device: surroundings.device, authority: authority)
    if surroundings.device.mode == .shared { return directory.all(in: document) }
    return configuration.accountMode == .single ? directory.signedIn(in: document) : []
  }

  private func taken(by account: Account) -> AuthenticationError {
    let isShared = surroundings.device.mode == .shared
    return AuthenticationError(
      .ambiguousAccount,
      "\(account.username.printable()) is signed in, and this \(isShared ? "shared device" : "application") holds one account",
      reason: isShared ? "shared_device_taken" : "single_account_taken",
      hint: "sign that account out first: msauth logout"
    )
  }
}
