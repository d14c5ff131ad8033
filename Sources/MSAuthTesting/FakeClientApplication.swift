public import FoundationEssentials
public import MSAuth
import Synchronization

/// A client application for tests: it returns scripted results and records the calls.
///
/// Script one result for each call that you expect, then let your code run:
///
/// ```swift
/// let fake = FakeClientApplication(accounts: [ada])
/// fake.scriptAcquireTokenSilent(.failure(AuthenticationError(.interactionRequired, "sign in again")))
/// fake.scriptAcquireToken(.success(token))
/// try await MyModel(application: fake).refresh()
/// #expect(fake.calls.map(\.name) == ["acquireTokenSilent", "acquireToken"])
/// ```
///
/// `ClientApplication.token(with:)` is composed of silent and interactive calls, here as in the real application: script
/// those.
///
/// A call without a scripted result ends the process with a message. To record a test failure instead, pass
/// `onUnexpectedCall`; the call then throws an `AuthenticationError` with the reason `unexpected_call`.
public final class FakeClientApplication: ClientApplication {
  /// A scripted result.
  public typealias Scripted<Value> = Result<Value, AuthenticationError>

  private struct State {
    var calls: [Call] = []
    var accounts: [Account]?
    var acquireToken: [Scripted<TokenResult>] = []
    var acquireTokenWithDeviceCode: [Scripted<TokenResult>] = []
    var acquireTokenSilent: [Scripted<TokenResult>] = []
    var currentAccount: [Scripted<CurrentAccount>] = []
    var setCurrentAccount: [Scripted<Void>] = []
    var sessionStatus: [Scripted<SessionStatus>] = []
    var signOut: [Scripted<SignOutReport>] = []
    var removeAccount: [Scripted<Bool>] = []
    var discardAccessToken: [Scripted<Bool>] = []
    var deviceInformation: [Scripted<DeviceInformation>] = []
    var get: [Scripted<ResourceResponse>] = []
  }

  private let state: Mutex<State>
  private let onUnexpectedCall: @Sendable (String) -> Void

  /// Makes a fake.
  ///
  /// - Parameters:
  ///   - accounts: The accounts that are signed in; nil if listing them is unexpected.
  ///   - onUnexpectedCall: Called with a message when a call has no scripted result; by default ends the process.
  public init(accounts: [Account]? = nil, onUnexpectedCall: @escaping @Sendable (String) -> Void = { fatalError($0) }) {
    state = Mutex(State(accounts: accounts))
    self.onUnexpectedCall = onUnexpectedCall
  }

  /// The calls so far, in order.
  public var calls: [Call] { state.withLock { $0.calls } }

  /// The names of the calls that have scripted results left; empty when the code under test made every expected call.
  public var remaining: [String] {
    state.withLock { state in
      let counts: [(String, Int)] = [
        ("acquireToken", state.acquireToken.count),
        ("acquireTokenWithDeviceCode", state.acquireTokenWithDeviceCode.count),
        ("acquireTokenSilent", state.acquireTokenSilent.count), ("currentAccount", state.currentAccount.count),
        ("setCurrentAccount", state.setCurrentAccount.count), ("sessionStatus", state.sessionStatus.count),
        ("signOut", state.signOut.count), ("removeAccount", state.removeAccount.count),
        ("discardAccessToken", state.discardAccessToken.count),
        ("deviceInformation", state.deviceInformation.count), ("get", state.get.count),
      ]
      return counts.filter { $0.1 > 0 }.map { $0.0 }
    }
  }

  /// Replaces the accounts that the fake lists.
  public func setAccounts(_ accounts: [Account]?) { state.withLock { $0.accounts = accounts } }

  /// Adds results of interactive calls, one for each.
  public func scriptAcquireToken(_ results: Scripted<TokenResult>...) {
    state.withLock { $0.acquireToken += results }
  }

  /// Adds results of calls with a device code, one for each.
  public func scriptAcquireTokenWithDeviceCode(_ results: Scripted<TokenResult>...) {
    state.withLock { $0.acquireTokenWithDeviceCode += results }
  }

  /// Adds results of silent calls, one for each.
  public func scriptAcquireTokenSilent(_ results: Scripted<TokenResult>...) {
    state.withLock { $0.acquireTokenSilent += results }
  }

  /// Adds results of `currentAccount()`, one for each call.
  public func scriptCurrentAccount(_ results: Scripted<CurrentAccount>...) {
    state.withLock { $0.currentAccount += results }
  }

  /// Adds results of `setCurrentAccount(_:)`, one for each call.
  public func scriptSetCurrentAccount(_ results: Scripted<Void>...) {
    state.withLock { $0.setCurrentAccount += results }
  }

  /// Adds results of `sessionStatus(of:)`, one for each call.
  public func scriptSessionStatus(_ results: Scripted<SessionStatus>...) {
    state.withLock { $0.sessionStatus += results }
  }

  /// Adds results of sign-outs, one for each.
  public func scriptSignOut(_ results: Scripted<SignOutReport>...) { state.withLock { $0.signOut += results } }

  /// Adds results of `removeAccount(_:)`, one for each call.
  public func scriptRemoveAccount(_ results: Scripted<Bool>...) { state.withLock { $0.removeAccount += results } }

  /// Adds results of `discardAccessToken(_:)`, one for each call.
  public func scriptDiscardAccessToken(_ results: Scripted<Bool>...) {
    state.withLock { $0.discardAccessToken += results }
  }

  /// Adds results of `deviceInformation()`, one for each call.
  public func scriptDeviceInformation(_ results: Scripted<DeviceInformation>...) {
    state.withLock { $0.deviceInformation += results }
  }

  /// Adds responses of resources, one for each `get(_:with:)`.
  public func scriptGet(_ results: Scripted<ResourceResponse>...) { state.withLock { $0.get += results } }

  /// The next result of ``scriptAcquireToken(_:)``.
  public func acquireToken(with parameters: InteractiveTokenParameters) async throws(AuthenticationError) -> TokenResult
  {
    try next(\.acquireToken, .acquireToken(parameters))
  }

  /// The next result of ``scriptAcquireTokenWithDeviceCode(_:)``.
  public func acquireToken(with parameters: DeviceCodeParameters) async throws(AuthenticationError) -> TokenResult {
    try next(\.acquireTokenWithDeviceCode, .acquireTokenWithDeviceCode(parameters))
  }

  /// The next result of ``scriptAcquireTokenSilent(_:)``.
  public func acquireTokenSilent(with parameters: SilentTokenParameters) async throws(AuthenticationError)
    -> TokenResult
  {
    try next(\.acquireTokenSilent, .acquireTokenSilent(parameters))
  }

  /// The fake's accounts.
  public func accounts() async throws(AuthenticationError) -> [Account] {
    let accounts = state.withLock { state in
      state.calls.append(.accounts)
      return state.accounts
    }
    guard let accounts else { throw unexpected(.accounts) }
    return accounts
  }

  /// The fake's accounts that match the parameters; all of them are signed in.
  public func accounts(for parameters: AccountEnumerationParameters) async throws(AuthenticationError) -> [Account] {
    try await accounts().filter { parameters.matches($0) }
  }

  /// The fake's account with that home account ID, ignoring case unless that distinguishes two.
  public func account(forIdentifier identifier: String) async throws(AuthenticationError) -> Account? {
    try await accounts().account(having: identifier, as: \.identifier)
  }

  /// The fake's account with that username, ignoring case unless that distinguishes two.
  public func account(forUsername username: String) async throws(AuthenticationError) -> Account? {
    try await accounts().account(having: username, as: \.username)
  }

  /// The next result of ``scriptCurrentAccount(_:)``.
  public func currentAccount() async throws(AuthenticationError) -> CurrentAccount {
    try next(\.currentAccount, .currentAccount)
  }

  /// The next result of ``scriptSetCurrentAccount(_:)``.
  public func setCurrentAccount(_ account: Account) async throws(AuthenticationError) {
    try next(\.setCurrentAccount, .setCurrentAccount(account))
  }

  /// The next result of ``scriptSessionStatus(_:)``.
  public func sessionStatus(of account: Account) async throws(AuthenticationError) -> SessionStatus {
    try next(\.sessionStatus, .sessionStatus(account))
  }

  /// The next result of ``scriptSignOut(_:)``.
  public func signOut(_ account: Account, with parameters: SignOutParameters) async throws(AuthenticationError)
    -> SignOutReport
  {
    try next(\.signOut, .signOut(account, parameters))
  }

  /// The next result of ``scriptRemoveAccount(_:)``.
  @discardableResult
  public func removeAccount(_ account: Account) async throws(AuthenticationError) -> Bool {
    try next(\.removeAccount, .removeAccount(account))
  }

  /// The next result of ``scriptDiscardAccessToken(_:)``.
  @discardableResult
  public func discardAccessToken(_ accessToken: String) async throws(AuthenticationError) -> Bool {
    try next(\.discardAccessToken, .discardAccessToken(accessToken))
  }

  /// The next result of ``scriptDeviceInformation(_:)``.
  public func deviceInformation() async throws(AuthenticationError) -> DeviceInformation {
    try next(\.deviceInformation, .deviceInformation)
  }

  /// The next result of ``scriptGet(_:)``.
  public func get(_ url: URL, with token: TokenResult) async throws(AuthenticationError) -> ResourceResponse {
    try next(\.get, .get(url: url, token: token))
  }

  /// Records a call and takes its result from the script.
  private func next<Value: Sendable>(
    _ script: any WritableKeyPath<State, [Scripted<Value>]> & Sendable,
    _ call: Call
  ) throws(AuthenticationError) -> Value {
    let result: Scripted<Value>? = state.withLock { state in
      state.calls.append(call)
      return state[keyPath: script].isEmpty ? nil : state[keyPath: script].removeFirst()
    }
    guard let result else { throw unexpected(call) }
    return try result.get()
  }

  private func unexpected(_ call: Call) -> AuthenticationError {
    let message = "FakeClientApplication: \(call.name) was called, and no result is scripted for it"
    onUnexpectedCall(message)
    return AuthenticationError(.internalError, message, reason: AuthenticationError.Reason(rawValue: "unexpected_call"))
  }
}
