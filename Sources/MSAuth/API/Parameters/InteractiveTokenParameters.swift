public import Core

/// What to ask for in the browser (MSAL: `MSALInteractiveTokenParameters`).
public struct InteractiveTokenParameters: Sendable {
  /// What the provider is to show (MSAL: `MSALPromptType`).
  public enum Prompt: String, Sendable, CaseIterable {
    /// The account picker.
    case selectAccount = "select_account"
    /// Credentials, even with a browser session.
    case login
    /// Consent, even if it was given.
    case consent
    /// The form for a new account.
    case create
    /// Nothing: fails where a person would be needed.
    case none
  }

  /// How the browser brings the answer.
  public enum ResponseMode: String, Sendable, CaseIterable {
    /// In the address.
    case query
    /// In a form's body, which leaves no trace in the history (OAuth 2.0 Form Post Response Mode).
    case formPost = "form_post"
  }

  /// What a person has to be told while a sign-in waits.
  public enum Event: Sendable {
    /// The address to open; told always and before anything is opened.
    case address(String)
    /// A program took the address; that the browser shows it is assumed, never known.
    case opened(by: String)
    /// No browser was opened, and what to do instead.
    case notOpened(reason: String, remedy: Remedy)
    /// Another process has the person's attention; its result is waited for.
    case joining(owner: String)
    /// A request that was none of ours came to the listener and changed nothing.
    case ignored(reason: String)
  }

  /// The scopes of the access token.
  public var scopes: [String]
  /// Whether to show the account picker, ask for credentials, and so on; nil leaves it to the provider.
  public var prompt: Prompt?
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
  public var extraQueryParameters: [(name: String, value: String)]
  /// How many seconds ago the person may have signed in at most.
  public var maxAge: Int64?
  /// The authentication contexts that are wanted (RFC 9470).
  public var acrValues: String?
  /// The resource that the token is for, as an absolute URI, where scopes alone do not tell (RFC 8707).
  public var resource: String?
  /// The authority for this call, instead of the configured one.
  public var authority: Authority?
  /// The account that is expected; its username fills the form.
  public var account: Account?
  /// How the answer comes; nil takes `form_post` where the provider offers it.
  public var responseMode: ResponseMode?
  /// How many seconds to wait for the person, up to ``WaitingTime/longest``.
  public var timeout: Double
  /// Whether to wait for a sign-in of this application that another process has begun, and to take its result.
  ///
  /// Of any number of processes that find that a person is needed, one then opens the browser. Without effect where
  /// the person is to be asked something particular: with ``prompt``, ``claims``, ``maxAge`` or ``acrValues``.
  public var joinsRunningSignIn: Bool
  /// The home account id of somebody who is expected and of whom no name is known; nothing tells it to the provider.
  package var expectedIdentifier: String?
  /// Whether a browser is opened; without, the address is told alone.
  public var opensBrowser: Bool
  /// Sent along to Microsoft and shown in its errors; nil makes a new one.
  public var correlationID: String?
  /// Told what a person has to know meanwhile.
  public var onEvent: (@Sendable (Event) -> Void)?

  /// Makes parameters with MSAL's defaults.
  ///
  /// - Parameter scopes: The scopes of the access token.
  public init(scopes: [String]) {
    self.scopes = scopes
    self.extraScopesToConsent = []
    self.extraQueryParameters = []
    // Five minutes: long enough for a second factor on another device, short enough not to hold a port all day.
    self.timeout = 300
    self.joinsRunningSignIn = false
    self.opensBrowser = true
  }
}
