public import FoundationEssentials

/// The calls of ``PublicClientApplication``, so that code which makes them can be tested with a fake.
///
/// Let your own types take `any ClientApplication`. The product `MSAuthTesting` has a fake.
public protocol ClientApplication: Sendable {
  /// Signs a person in through the browser and returns a token.
  func acquireToken(with parameters: InteractiveTokenParameters) async throws(AuthenticationError) -> TokenResult
  /// Signs a person in through a browser on another device.
  func acquireToken(with parameters: DeviceCodeParameters) async throws(AuthenticationError) -> TokenResult
  /// Returns a token without interaction, from the cache or refreshed.
  func acquireTokenSilent(with parameters: SilentTokenParameters) async throws(AuthenticationError) -> TokenResult
  /// See ``PublicClientApplication/token(with:)``.
  func token(with parameters: TokenParameters) async throws(AuthenticationError) -> TokenResult
  /// The accounts that are signed in to this application.
  func accounts() async throws(AuthenticationError) -> [Account]
  /// The accounts that match the parameters.
  func accounts(for parameters: AccountEnumerationParameters) async throws(AuthenticationError) -> [Account]
  /// The account with that home account ID, if it is signed in.
  func account(forIdentifier identifier: String) async throws(AuthenticationError) -> Account?
  /// The account with that username, if it is signed in.
  func account(forUsername username: String) async throws(AuthenticationError) -> Account?
  /// The account with that username or home account ID; without a name, the current one.
  func account(named name: String?) async throws(AuthenticationError) -> Account
  /// The current account and, if it changed since the last call, the previous one.
  func currentAccount() async throws(AuthenticationError) -> CurrentAccount
  /// Makes an account the current one.
  func setCurrentAccount(_ account: Account) async throws(AuthenticationError)
  /// What the store says of an account's session.
  func sessionStatus(of account: Account) async throws(AuthenticationError) -> SessionStatus
  /// Signs one account out.
  func signOut(_ account: Account, with parameters: SignOutParameters) async throws(AuthenticationError)
    -> SignOutReport
  /// Removes an account's tokens from the store.
  @discardableResult
  func removeAccount(_ account: Account) async throws(AuthenticationError) -> Bool
  /// Removes an access token that a resource refused from the store.
  @discardableResult
  func discardAccessToken(_ accessToken: String) async throws(AuthenticationError) -> Bool
  /// Whether the device is private or shared.
  func deviceInformation() async throws(AuthenticationError) -> DeviceInformation
  /// Gets a protected resource with a token.
  func get(_ url: URL, with token: TokenResult) async throws(AuthenticationError) -> ResourceResponse
}

extension PublicClientApplication: ClientApplication {}

// Initializers for tests of applications, which return such results from a fake.

extension SignOutReport {
  /// Makes a report.
  ///
  /// - Parameters:
  ///   - account: The account that signed out.
  ///   - removedTokens: Whether tokens of the account were in the store, and were removed.
  ///   - revocation: The outcome of revoking the refresh token.
  ///   - browser: The outcome in the browser.
  public init(
    account: Account,
    removedTokens: Bool = true,
    revocation: Revocation = .notOffered,
    browser: Browser = .notAsked
  ) {
    self.init(account: account, removedTokens: removedTokens, revocation: revocation, browser: browser, problems: [])
  }
}

extension ResourceResponse {
  /// Makes a response.
  ///
  /// - Parameters:
  ///   - status: The HTTP status.
  ///   - text: The body.
  public init(status: Int, text: String) {
    self.init(status: status, body: Array(text.utf8), challenges: [])
  }
}
