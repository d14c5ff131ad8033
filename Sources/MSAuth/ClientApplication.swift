public import FoundationEssentials

/// A source of tokens, which is all that code calling an API needs.
///
/// Let your own types take `any TokenProviding`, so that they can be tested with a fake, such as `MSAuthTesting`'s.
public protocol TokenProviding: Sendable {
  /// Returns a token: silently if possible, else through the browser if that is allowed.
  func token(with parameters: TokenParameters) async throws(AuthenticationError) -> TokenResult
}

/// The calls of ``PublicClientApplication``: tokens, accounts and sign-out.
public protocol ClientApplication: TokenProviding {
  /// Signs the user in through the browser and returns a token.
  func signIn(with parameters: TokenParameters) async throws(AuthenticationError) -> TokenResult
  /// Signs the user in through a browser on another device.
  func signIn(
    with parameters: TokenParameters,
    onDeviceCode: @escaping @Sendable (DeviceCode) -> Void
  ) async throws(AuthenticationError) -> TokenResult
  /// The accounts that match a filter, sorted by username.
  func accounts(matching filter: AccountFilter) async throws(AuthenticationError) -> [Account]
  /// The account with that username or home account ID; without a name, the current one.
  func account(named name: String?) async throws(AuthenticationError) -> Account
  /// The current account and, if it changed since the last call that remembers, the previous one.
  func currentAccount(remembers: Bool) async throws(AuthenticationError) -> CurrentAccount
  /// Makes an account the current one.
  func setCurrentAccount(_ account: Account) async throws(AuthenticationError)
  /// The state of an account's session in the store.
  func sessionStatus(of account: Account) async throws(AuthenticationError) -> SessionStatus
  /// Signs one account out.
  func signOut(
    _ account: Account,
    with parameters: SignOutParameters
  ) async throws(AuthenticationError) -> SignOutReport
  /// Removes an account's tokens from the store.
  @discardableResult
  func removeAccount(_ account: Account) async throws(AuthenticationError) -> Bool
  /// Removes from the store an access token that a resource rejected.
  @discardableResult
  func discardAccessToken(_ accessToken: String) async throws(AuthenticationError) -> Bool
  /// Whether the device is private or shared.
  func deviceInformation() async throws(AuthenticationError) -> DeviceInformation
  /// Sends a request to a protected resource.
  ///
  /// - Parameters:
  ///   - method: `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.
  ///   - url: The resource: `https`, or `http` to a loopback host.
  ///   - token: The token to send (RFC 6750 §2.1), with a proof if it is bound to a key (RFC 9449 §7.1).
  ///   - body: The body, as JSON.
  /// - Throws: `AuthenticationError` if there is no response.
  /// - Returns: The response, with any status.
  func send(
    _ method: String,
    _ url: URL,
    with token: TokenResult,
    body: [UInt8]?
  ) async throws(AuthenticationError) -> ResourceResponse
}

extension TokenProviding {
  /// Returns a token: silently if possible, else through the browser.
  ///
  /// Call it before every request. ``token(with:)`` has more parameters, such as a timeout or a prompt.
  ///
  /// - Parameters:
  ///   - account: The account; `nil` for the current account; if there is none, any account may sign in.
  ///   - scopes: The scopes that the access token must have.
  ///   - interactive: Whether the browser may be opened.
  /// - Throws: `AuthenticationError`, as ``token(with:)`` does.
  /// - Returns: The token and its account.
  public func token(
    for account: Account? = nil,
    scopes: [String],
    interactive: Bool = true
  ) async throws(AuthenticationError) -> TokenResult {
    var parameters = TokenParameters(scopes: scopes, account: account)
    if !interactive { parameters.interaction = nil }
    return try await token(with: parameters)
  }
}

extension ClientApplication {
  /// The accounts that are signed in to this application, sorted by username.
  public func accounts() async throws(AuthenticationError) -> [Account] {
    try await accounts(matching: AccountFilter())
  }

  /// The current account and, if it changed since the last call, the previous one (MSAL: `getCurrentAccount`).
  ///
  /// - Throws: `AuthenticationError`; with `AuthenticationError.Code.ambiguousAccount` if several are signed in, and none
  ///   of them through this application.
  public func currentAccount() async throws(AuthenticationError) -> CurrentAccount {
    try await currentAccount(remembers: true)
  }

  /// Signs one account out with the default parameters: this application's tokens are removed, the browser's session stays.
  ///
  /// - Parameter account: The account to sign out.
  /// - Throws: `AuthenticationError` if the account could not be removed here; the later steps only report.
  /// - Returns: The result of each step.
  public func signOut(_ account: Account) async throws(AuthenticationError) -> SignOutReport {
    try await signOut(account, with: SignOutParameters())
  }

  /// Sends a request without a body, like ``send(_:_:with:body:)``.
  public func send(
    _ method: String,
    _ url: URL,
    with token: TokenResult
  ) async throws(AuthenticationError) -> ResourceResponse {
    try await send(method, url, with: token, body: nil)
  }

  /// Gets a protected resource, such as Microsoft Graph's `/v1.0/me`, like ``send(_:_:with:body:)``.
  public func get(_ url: URL, with token: TokenResult) async throws(AuthenticationError) -> ResourceResponse {
    try await send("GET", url, with: token)
  }
}

extension PublicClientApplication: ClientApplication {}
