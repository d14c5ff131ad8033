public import OAuth

/// How far a sign-out goes (MSAL: `MSALSignoutParameters`).
public struct SignOutParameters: Sendable {
  /// Whether to sign out in the browser too, at the provider's `end_session_endpoint`.
  public var fromBrowser: Bool
  /// Whether the account is removed for every application that shares the store.
  public var wipesAccount: Bool
  /// Whether every account is removed for every application that shares the store, and with them the caches that were
  /// set aside as damaged.
  public var wipesAllAccounts: Bool
  /// The authority that the account signed in at, if it is not the configured one; without it the account is removed
  /// here, and its provider is not contacted.
  public var authority: Authority?
  /// Whether an account of another authority is signed out at its own provider.
  package var contactsEveryProvider = false
  /// Further parameters of the sign-out address; none may replace one of msauth's.
  public var extraQueryParameters: [String: String]
  /// How long to wait for the browser's answer, at most ``WaitingTime/maximum``.
  public var timeout: Duration
  /// Whether to open a browser; otherwise the address is only reported.
  public var opensBrowser: Bool
  /// Called with what happens meanwhile, on any thread.
  public var onEvent: (@Sendable (BrowserEvent) -> Void)?

  /// Makes parameters with MSAL's defaults: this application's tokens go, the browser's session stays.
  public init() {
    self.fromBrowser = false
    self.wipesAccount = false
    self.wipesAllAccounts = false
    self.extraQueryParameters = [:]
    // The tokens are removed already, the user only has to confirm, and many providers never come back.
    self.timeout = .seconds(30)
    self.opensBrowser = true
  }
}
