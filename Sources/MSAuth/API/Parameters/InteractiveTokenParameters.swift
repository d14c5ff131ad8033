public import Core
public import FoundationEssentials
public import OAuth

/// What to ask for in the browser (MSAL: `MSALInteractiveTokenParameters`).
public struct InteractiveTokenParameters: Sendable {
  /// The scopes of the access token.
  public var scopes: [String]
  /// Whether to show the account picker, ask for credentials, and so on; nil leaves it to the provider.
  public var prompt: Prompt?
  /// Whether the provider shows its account picker where somebody is signed in already, so that another account can be
  /// added; it has no effect together with ``prompt``, ``loginHint`` or ``account``.
  public var addsAccount: Bool
  /// The username to fill in.
  public var loginHint: String?
  /// The kind of account or the domain, to skip a page (Microsoft).
  public var domainHint: String?
  /// Scopes to consent to now and to use in later requests.
  public var extraScopesToConsent: [String]
  /// A claims request as JSON (OpenID Connect Core §5.5).
  public var claims: String?
  /// Further parameters of the authorization request, and at Microsoft of the token endpoint's address; none may replace
  /// one of msauth's, or stand for one that has a property here, ``domainHint`` aside.
  public var extraQueryParameters: [String: String]
  /// The maximum age of the user's authentication, in whole seconds (`max_age`).
  public var maxAge: Duration?
  /// The requested authentication contexts, separated by spaces (RFC 9470).
  public var acrValues: String?
  /// The resource that the token is for, as an absolute URI, if the scopes do not determine it (RFC 8707).
  public var resource: String?
  /// The authority for this call, instead of the configured one.
  public var authority: Authority?
  /// The expected account; its username is filled in.
  public var account: Account?
  /// How the answer comes; nil takes `form_post` where the provider offers it.
  public var responseMode: ResponseMode?
  /// How long to wait for the user, at most ``WaitingTime/maximum``.
  public var timeout: Duration
  /// Whether to wait for a sign-in that another process of this application has begun, and to use its result.
  ///
  /// Concurrent processes then share one prompt. It has no effect together with ``prompt``, ``claims``, ``maxAge``,
  /// ``acrValues`` or ``resource``.
  public var joinsRunningSignIn: Bool
  /// The home account ID of the expected account, if its username is unknown; it is not sent to the provider.
  package var expectedIdentifier: String?
  /// When an access token had been refused, or a refresh was forced: what was stored by then is not the result of another
  /// process's sign-in.
  package var newerThan: UnixTime?
  /// Whether the result of another sign-in serves only with an ID token that is still valid.
  var requiresIDToken = false
  /// Whether to open a browser; otherwise the address is only reported.
  public var opensBrowser: Bool
  /// What to do where no browser could be opened: the sign-in ends then.
  ///
  /// With nil it goes on, since a person may open the address that was reported.
  package var hintWithoutBrowser: Hint?
  /// The browser's side of this one sign-in; nil for a ``LocalUserAgent``.
  public var userAgent: (any UserAgent)?
  /// Asks for the address that the browser was redirected to, if it can't reach the listener; nil never asks.
  ///
  /// It is called again with the reason if an address was refused, and its task is cancelled once the response has arrived
  /// another way; nil ends the asking. The response is then in the address, never a form.
  public var pastedRedirect: (@Sendable (_ refusal: String?) async -> String?)?
  /// The correlation ID that Microsoft's errors show; nil makes a new one.
  public var correlationID: String?
  /// Called with what happens meanwhile, on any thread.
  public var onEvent: (@Sendable (BrowserEvent) -> Void)?

  /// Makes parameters with MSAL's defaults.
  ///
  /// - Parameter scopes: The scopes of the access token.
  public init(scopes: [String]) {
    self.scopes = scopes
    self.addsAccount = false
    self.extraScopesToConsent = []
    self.extraQueryParameters = [:]
    // Five minutes: long enough for a second factor on another device, short enough not to hold a port all day.
    self.timeout = .seconds(300)
    self.joinsRunningSignIn = false
    self.opensBrowser = true
  }
}

/// What happens while a sign-in or sign-out waits for the browser.
public enum BrowserEvent: Sendable {
  /// The address to open; always reported, before a browser is opened.
  case address(URL)
  /// A short address on this computer that leads there while the sign-in waits; reported after ``address(_:)``.
  case link(URL)
  /// A program has taken the address; whether the browser shows it is unknown.
  case opened(by: String)
  /// No browser was opened, and what to do instead.
  case notOpened(reason: String, hint: Hint)
  /// A sign-in waits for the person, so long; the hint says what to look at if nothing happens.
  case waiting(timeout: Duration, hint: Hint)
  /// Another process has begun a sign-in; its result is awaited.
  case joining(owner: String)
  /// A sign-out waits for the provider to confirm it; many providers never do.
  case waitingForSignOut(timeout: Duration)
  /// An answer came that this sign-in or sign-out cannot use; it still waits.
  case refused(reason: String)
  /// The listener refused another request; nothing has changed.
  case ignored(reason: String)
}
