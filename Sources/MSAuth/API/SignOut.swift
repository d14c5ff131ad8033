/// How far a sign-out goes (MSAL: `MSALSignoutParameters`).
public struct SignOutParameters: Sendable {
  /// Whether to sign out in the browser too, at the provider's `end_session_endpoint`.
  public var fromBrowser = false
  /// Whether the account is removed for every application that shares the store.
  public var wipesAccount = false
  /// Whether every account is removed for every application that shares the store, and with them the caches that were
  /// set aside as damaged.
  public var wipesAllAccounts = false
  /// The authority that the account signed in at, if it is not the configured one; without it the account is removed
  /// here, and its provider is not contacted.
  public var authority: Authority?
  /// Whether an account of another authority is signed out at its own provider.
  public var contactsEveryProvider = false
  /// Further parameters of the sign-out address; none may replace one of msauth's.
  public var extraQueryParameters: [String: String] = [:]
  /// How long to wait for the browser's answer, at most ``WaitingTime/maximum``; many providers never redirect back.
  public var timeout: Duration = .seconds(30)
  /// Whether to open a browser; otherwise the address is only reported.
  public var opensBrowser = true
  /// Called with what happens meanwhile, on any thread.
  public var onEvent: (@Sendable (BrowserEvent) -> Void)?

  /// Makes parameters with MSAL's defaults: this application's tokens go, the browser's session stays.
  public init() {}
}

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
