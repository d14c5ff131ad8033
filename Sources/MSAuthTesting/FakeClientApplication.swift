public import FoundationEssentials
public import MSAuth

/// A client application for tests: one closure for each requirement.
///
/// ```swift
/// var fake = FakeClientApplication(accounts: [ada])
/// fake.onToken = { parameters throws(AuthenticationError) in token }
/// try await MyModel(application: fake).refresh()
/// ```
///
/// A call without a closure ends the process with a message, unless ``onUnexpectedCall`` returns.
public struct FakeClientApplication: ClientApplication {
  /// The closure for one requirement; several arguments are a tuple.
  public typealias On<Argument, Value> = @Sendable (Argument) async throws(AuthenticationError) -> Value

  /// The accounts that ``accounts(matching:)`` filters and ``account(named:)`` searches.
  public var accounts: [Account]
  /// Called for ``token(with:)``.
  public var onToken: On<TokenParameters, TokenResult>?
  /// Called for ``signIn(with:)``.
  public var onSignIn: On<TokenParameters, TokenResult>?
  /// Called for ``signIn(with:onDeviceCode:)``, with the closure that shows the code.
  public var onDeviceCode: On<(TokenParameters, @Sendable (DeviceCode) -> Void), TokenResult>?
  /// Called for ``currentAccount(remembers:)``.
  public var onCurrentAccount: On<Bool, CurrentAccount>?
  /// Called for ``setCurrentAccount(_:)``.
  public var onSetCurrentAccount: On<Account, Void>?
  /// Called for ``sessionStatus(of:)``.
  public var onSessionStatus: On<Account, SessionStatus>?
  /// Called for ``signOut(_:with:)``.
  public var onSignOut: On<(Account, SignOutParameters), SignOutReport>?
  /// Called for ``removeAccount(_:)``.
  public var onRemoveAccount: On<Account, Bool>?
  /// Called for ``discardAccessToken(_:)``.
  public var onDiscardAccessToken: On<String, Bool>?
  /// Called for ``deviceInformation()``.
  public var onDeviceInformation: On<Void, DeviceInformation>?
  /// Called for ``send(_:_:with:body:)``, so for `get(_:with:)` too: the method, the URL, the token and the body.
  public var onSend: On<(String, URL, TokenResult, [UInt8]?), ResourceResponse>?
  /// Called with a message for a call without a closure, which then throws the reason `unexpected_call`.
  public var onUnexpectedCall: @Sendable (String) -> Void = { fatalError($0) }

  /// Creates a fake.
  ///
  /// - Parameter accounts: The accounts that are signed in.
  public init(accounts: [Account] = []) { self.accounts = accounts }

  public func token(with parameters: TokenParameters) async throws(AuthenticationError) -> TokenResult {
    try await call(onToken, parameters)
  }

  public func signIn(with parameters: TokenParameters) async throws(AuthenticationError) -> TokenResult {
    try await call(onSignIn, parameters)
  }

  public func signIn(
    with parameters: TokenParameters,
    onDeviceCode show: @escaping @Sendable (DeviceCode) -> Void
  ) async throws(AuthenticationError) -> TokenResult {
    try await call(onDeviceCode, (parameters, show))
  }

  /// The accounts that match.
  public func accounts(matching filter: AccountFilter) async throws(AuthenticationError) -> [Account] {
    accounts.filter(filter.matches)
  }

  /// The account with that name; without a name, the first one.
  ///
  /// As in `PublicClientApplication`, a name that several accounts match throws
  /// `AuthenticationError.Code.ambiguousAccount`.
  public func account(named name: String?) async throws(AuthenticationError) -> Account {
    guard let name else {
      if let account = accounts.first { return account }
      throw AuthenticationError.noAccount
    }
    if let account = try accounts.account(named: name) { return account }
    throw AuthenticationError(notSignedIn: name, known: accounts)
  }

  public func currentAccount(remembers: Bool) async throws(AuthenticationError) -> CurrentAccount {
    try await call(onCurrentAccount, remembers)
  }

  public func setCurrentAccount(_ account: Account) async throws(AuthenticationError) {
    try await call(onSetCurrentAccount, account)
  }

  public func sessionStatus(of account: Account) async throws(AuthenticationError) -> SessionStatus {
    try await call(onSessionStatus, account)
  }

  public func signOut(
    _ account: Account,
    with parameters: SignOutParameters
  ) async throws(AuthenticationError) -> SignOutReport {
    try await call(onSignOut, (account, parameters))
  }

  @discardableResult
  public func removeAccount(_ account: Account) async throws(AuthenticationError) -> Bool {
    try await call(onRemoveAccount, account)
  }

  @discardableResult
  public func discardAccessToken(_ accessToken: String) async throws(AuthenticationError) -> Bool {
    try await call(onDiscardAccessToken, accessToken)
  }

  public func deviceInformation() async throws(AuthenticationError) -> DeviceInformation {
    try await call(onDeviceInformation, ())
  }

  public func send(
    _ method: String,
    _ url: URL,
    with token: TokenResult,
    body: [UInt8]?
  ) async throws(AuthenticationError) -> ResourceResponse {
    try await call(onSend, (method, url, token, body))
  }

  private func call<Argument, Value>(
    _ closure: On<Argument, Value>?,
    _ argument: Argument,
    function: String = #function
  ) async throws(AuthenticationError) -> Value {
    if let closure { return try await closure(argument) }
    let message = "FakeClientApplication: \(function) was called, and has no closure"
    onUnexpectedCall(message)
    throw AuthenticationError(.internalError, message, reason: "unexpected_call")
  }
}
