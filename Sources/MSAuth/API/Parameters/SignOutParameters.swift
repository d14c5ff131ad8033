/// How far a sign-out goes (MSAL: `MSALSignoutParameters`).
public struct SignOutParameters: Sendable {
  /// Whether to sign out in the browser too, at the provider's `end_session_endpoint`.
  public var fromBrowser: Bool
  /// Whether the account is removed for every application that shares the store.
  public var wipesAccount: Bool
  /// Whether every account is removed for every application that shares the store.
  public var wipesAllAccounts: Bool
  /// The authority that the account signed in at, where that is not the configured one; without it the account is
  /// removed here, and its provider is not told.
  public var authority: Authority?
  /// Further parameters of the sign-out address; none may replace one of msauth's.
  public var extraQueryParameters: [(name: String, value: String)]
  /// How many seconds to wait for the browser's answer, up to ``WaitingTime/longest``.
  public var timeout: Double
  /// Whether a browser is opened; without, the address is told alone.
  public var opensBrowser: Bool
  /// Told what a person has to know meanwhile.
  public var onEvent: (@Sendable (InteractiveTokenParameters.Event) -> Void)?

  /// Makes parameters with MSAL's defaults: this application's tokens go, the browser's session stays.
  public init() {
    self.fromBrowser = false
    self.wipesAccount = false
    self.wipesAllAccounts = false
    self.extraQueryParameters = []
    // A person only has to confirm; what is local is already done.
    self.timeout = 120
    self.opensBrowser = true
  }
}
