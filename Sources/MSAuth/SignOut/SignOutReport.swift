/// The result of each step of a sign-out.
public struct SignOutReport: Sendable, Hashable {
  /// The refresh token's revocation at the provider (RFC 7009).
  public enum Revocation: String, Sendable {
    /// The provider revoked it.
    case revoked
    /// The provider offers no revocation, such as Microsoft Entra.
    case notOffered = "not_offered"
    /// The provider doesn't allow this application, which has no client secret, to revoke tokens.
    case notAllowed = "not_allowed"
    /// There was no refresh token.
    case nothingToRevoke = "nothing_to_revoke"
    /// The provider couldn't be reached, or rejected the request.
    case failed
  }

  /// The sign-out in the browser.
  public enum Browser: String, Sendable {
    /// It was not requested.
    case notAsked = "not_asked"
    /// The provider has no sign-out page.
    case notOffered = "not_offered"
    /// The sign-out page was not opened in time.
    case notOpened = "not_opened"
    /// The sign-out page was opened, but the provider didn't redirect back.
    case openedOnly = "opened_only"
    /// The provider redirected back with the right state.
    case confirmed
    /// The provider redirected back without a state; a wrong state is ignored.
    case unconfirmed
    /// The page couldn't be opened, or the provider couldn't be reached.
    case failed
  }

  /// The removal from the device's identity broker.
  public enum Device: String, Sendable {
    /// It was not requested.
    case notAsked = "not_asked"
    /// The broker no longer has the account.
    case removed
    /// The broker still has the account, or there is no broker.
    case failed
  }

  /// The account.
  public var account: Account
  /// Whether tokens of the account were in the store, and were removed.
  public var removedTokens = true
  /// The refresh token's revocation at the provider.
  public var revocation = Revocation.nothingToRevoke
  /// The sign-out in the browser.
  public var browser = Browser.notAsked
  /// The removal from the device's identity broker.
  public var device = Device.notAsked
  /// What failed and why, one sentence per failure.
  public var problems: [String] = []
  /// The code of the first failure that is an `AuthenticationError`.
  public var code: AuthenticationError.Code?
  /// What to do about that failure.
  public var hint: Hint?

  /// Creates a report, for tests of an application.
  public init(account: Account) { self.account = account }

  mutating func add(_ error: AuthenticationError, _ problem: String) {
    // Several tokens may fail for one reason.
    if !problems.contains(problem) { problems.append(problem) }
    if code == nil { (code, hint) = (error.code, error.hint) }
  }
}
