/// What each step of a sign-out achieved.
public struct SignOutReport: Sendable, Hashable {
  /// What became of the refresh token at the provider (RFC 7009).
  public enum Revocation: String, Sendable {
    /// The provider took it back.
    case revoked
    /// The provider offers no revocation; Microsoft Entra is one.
    case notOffered = "not_offered"
    /// The provider doesn't allow this application, which has no client secret, to revoke tokens.
    case notAllowed = "not_allowed"
    /// There was no refresh token.
    case nothingToRevoke = "nothing_to_revoke"
    /// The provider could not be reached or refused.
    case failed
  }

  /// What became of the browser's session.
  public enum Browser: String, Sendable {
    /// It was not asked for.
    case notAsked = "not_asked"
    /// The provider has no sign-out page.
    case notOffered = "not_offered"
    /// Nobody opened the sign-out page in time.
    case notOpened = "not_opened"
    /// The sign-out page was opened, and the provider did not come back to confirm.
    case openedOnly = "opened_only"
    /// The provider came back with our state.
    case confirmed
    /// The provider came back, but without a state; another state than ours is ignored.
    case unconfirmed
    /// The page could not be offered, or the provider could not be reached.
    case failed
  }

  /// Whose sign-out it was.
  public var account: Account
  /// Whether tokens of the account were in the store, and are gone.
  public var removedTokens: Bool
  /// What became of the refresh token at the provider.
  public var revocation: Revocation
  /// What became of the browser's session.
  public var browser: Browser
  /// What failed and why, one sentence for each failure.
  public var problems: [String]
  /// The code of the first failure that is an ``AuthenticationError``.
  public var code: AuthenticationError.Code?
  /// What to do about that failure.
  public var hint: Hint?

  /// Makes a report, for tests of an application.
  ///
  /// - Parameters:
  ///   - account: Whose sign-out it was.
  ///   - removedTokens: Whether tokens of the account were in the store.
  ///   - revocation: What became of the refresh token at the provider.
  ///   - browser: What became of the browser's session.
  ///   - problems: What failed and why.
  public init(
    account: Account,
    removedTokens: Bool = true,
    revocation: Revocation = .nothingToRevoke,
    browser: Browser = .notAsked,
    problems: [String] = []
  ) {
    self.account = account
    self.removedTokens = removedTokens
    self.revocation = revocation
    self.browser = browser
    self.problems = problems
  }

  /// Adds a failed step.
  mutating func add(_ error: AuthenticationError, _ problem: String) {
    // Several tokens fail for one reason.
    if !problems.contains(problem) { problems.append(problem) }
    if code == nil { (code, hint) = (error.code, error.hint) }
  }
}

/// Whether the device is one person's or shared (MSAL: `MSALDeviceInformation`).
public struct DeviceInformation: Sendable, Hashable {
  /// The mode of a device.
  public enum Mode: String, Sendable {
    /// One person's device (MSAL: `default`).
    case privateDevice = "private"
    /// A device that changes hands: one account for all applications, nothing kept after the session.
    case shared
  }

  /// The device's mode.
  public var mode: Mode

  /// Makes the record.
  ///
  /// - Parameter mode: The device's mode.
  public init(mode: Mode) {
    self.mode = mode
  }
}
