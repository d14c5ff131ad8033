/// The calls of ``PublicClientApplication``, so that code which makes them can be tested with a fake.
///
/// Let your own types take `any ClientApplication`. The product `MSAuthTesting` has a fake.
public protocol ClientApplication: Sendable {
  /// Signs a person in through the browser and returns a token.
  func acquireToken(with parameters: InteractiveTokenParameters) async throws -> TokenResult
  /// Signs a person in through a browser on another device.
  func acquireToken(with parameters: DeviceCodeParameters) async throws -> TokenResult
  /// Returns a token without interaction, from the cache or refreshed.
  func acquireTokenSilent(with parameters: SilentTokenParameters) async throws -> TokenResult
  /// The accounts that are signed in to this application.
  func accounts() async throws -> [Account]
  /// The accounts that match the parameters.
  func accounts(for parameters: AccountEnumerationParameters) async throws -> [Account]
  /// The account with that home account ID, if it is signed in.
  func account(forIdentifier identifier: String) async throws -> Account?
  /// The account with that username, if it is signed in.
  func account(forUsername username: String) async throws -> Account?
  /// The current account and, if it changed since the last call, the previous one.
  func currentAccount() async throws -> CurrentAccount
  /// Signs one account out.
  func signOut(_ account: Account, with parameters: SignOutParameters) async throws -> SignOutReport
  /// Removes an account's tokens from the store.
  @discardableResult
  func removeAccount(_ account: Account) async throws -> Bool
  /// Whether the device is private or shared.
  func deviceInformation() async throws -> DeviceInformation
  /// Gets a protected resource with a token.
  func get(_ url: String, with token: TokenResult) async throws -> ResourceResponse
}

extension PublicClientApplication: ClientApplication {}

// Initializers for tests of applications, which return such results from a fake.

extension TokenResult {
  /// Makes a result.
  ///
  /// - Parameters:
  ///   - accessToken: The access token.
  ///   - tokenType: The token's type.
  ///   - expiresOn: When the access token expires, in Unix seconds.
  ///   - scopes: The scopes granted.
  ///   - idToken: The ID token, if any.
  ///   - account: The token's account.
  ///   - tenantID: The tenant that issued it.
  ///   - authority: The authority for later silent calls.
  ///   - correlationID: The ID of the request.
  ///   - isFromCache: Whether the token came from the cache.
  public init(
    accessToken: String,
    tokenType: String = "Bearer",
    expiresOn: Int64,
    scopes: [String],
    idToken: String? = nil,
    account: Account,
    tenantID: String? = nil,
    authority: Authority = .microsoftCommon,
    correlationID: String = "",
    isFromCache: Bool = false
  ) {
    self.init(
      accessToken: accessToken,
      tokenType: tokenType,
      expiresOn: expiresOn,
      scopes: scopes,
      idToken: idToken,
      account: account,
      tenantID: tenantID,
      authority: authority,
      correlationID: correlationID,
      isFromCache: isFromCache,
      key: nil
    )
  }
}

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
