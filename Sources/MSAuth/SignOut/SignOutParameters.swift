/// How far a sign-out goes (MSAL: `MSALSignoutParameters`).
public struct SignOutParameters: Sendable {
  /// Whether to sign out in the browser too, at the provider's `end_session_endpoint`.
  public var fromBrowser = false
  /// Whether to remove the account from the device's identity broker too, for every application of the device.
  public var fromDevice = false
  /// Whether to remove the account for every application that shares the store.
  public var wipesAccount = false
  /// Whether to remove every account for every application that shares the store, and damaged caches that were set aside.
  public var wipesAllAccounts = false
  /// The authority that the account signed in at; `nil` for the configured one.
  ///
  /// An account of another authority is removed here, but its provider is not contacted.
  public var authority: Authority?
  /// Additional parameters of the sign-out address; they can't replace msauth's.
  public var extraQueryParameters: [String: String] = [:]
  /// How long to wait for the browser, at most a day; many providers never redirect back.
  public var timeout: Duration = .seconds(30)
  /// How the browser is used.
  public var browserUse = BrowserUse.open
  /// Called with each account, and whether tokens of it were removed here, before its provider is contacted.
  public var onRemoval: (@Sendable (Account, _ removedTokens: Bool) -> Void)?
  /// Receives events during the sign-out, on any thread.
  public var onEvent: (@Sendable (BrowserEvent) -> Void)?
  /// Whether the store keeps no account of any application, and each is signed out at its own provider.
  var removesEveryAccount = false

  /// Creates parameters with MSAL's defaults: this application's tokens are removed, the browser's session stays.
  public init() {}
}
