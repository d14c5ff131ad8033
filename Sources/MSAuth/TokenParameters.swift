/// What to request (MSAL: `MSALTokenParameters`).
public struct TokenParameters: Sendable {
  /// The scopes that the access token must have.
  public var scopes: [String]
  /// The account; `nil` for the one named by ``username``.
  public var account: Account?
  /// The account's username or home account ID, ignoring case; `nil` for the current account.
  ///
  /// If that account is not signed in, a sign-in prefills the name, and accepts no other account.
  public var username: String?
  /// The authority for this call, instead of the configured one.
  public var authority: Authority?
  /// A resource's requirements for the token; some require a sign-in.
  public var requirements: ResourceRequirements?
  /// A claims request as JSON (OpenID Connect Core §5.5), such as ``ClaimsRequest/json``.
  ///
  /// With it, the stored access token isn't used.
  public var claims: String?
  /// The resource that the token is for, as an absolute URI, if the scopes do not determine it (RFC 8707).
  ///
  /// With it, the stored access token isn't used: it may be for another resource.
  public var resource: String?
  /// Additional parameters of the authorization request, and at Microsoft of the token endpoint's address.
  ///
  /// They can't replace parameters that msauth sets, or that have a property here or in ``Interaction`` (except
  /// ``Interaction/domainHint``).
  public var extraQueryParameters: [String: String] = [:]
  /// The correlation ID that Microsoft's errors show; `nil` generates one.
  public var correlationID: String?
  /// Whether to refresh even if the stored token is still valid.
  public var forceRefresh = false
  /// How long a stored token must stay valid, at most a year; `nil` for
  /// ``ClientConfiguration/tokenExpirationBuffer``, or half the token's lifetime if that is less.
  public var minimumValidity: Duration?
  /// Whether the result must have a valid ID token, for a service that requires one.
  public var requiresIDToken = false
  /// How to sign in through the browser; `nil` never opens it, and silent calls ignore it.
  public var interaction: Interaction? = Interaction()
  /// Whether ``username`` may be the account's email address.
  package var acceptsMailAddress = false
  /// A token that the resource rejected, which isn't returned again.
  package var rejectedToken: Secret?
  /// Changes the store together with a sign-in's tokens, in one write; called again if the write is repeated.
  package var onSave: (@Sendable (inout TokenCacheDocument) -> Void)?

  /// The maximum of ``minimumValidity``: a year, longer than any access token is valid.
  package static let maximumValidity: Duration = .seconds(366 * 24 * 60 * 60)

  public init(scopes: [String], account: Account? = nil) {
    self.scopes = scopes
    self.account = account
  }

  /// Checks everything that can be checked before the browser opens.
  package func validate(for configuration: ClientConfiguration) throws(AuthenticationError) {
    _ = try ResolvedRequest(self, for: configuration, opensBrowser: true)
  }
}

/// How a sign-in or sign-out opens its page.
public enum BrowserUse: Sendable {
  /// Opens a browser; if that fails, waits, since the user may open the address that was reported.
  case open
  /// Opens a browser; if that fails, the call fails.
  case require
  /// Only reports the address.
  case report
}

/// How to sign in through the browser (MSAL: `MSALInteractiveTokenParameters`).
public struct Interaction: Sendable {
  /// Whether to show the account picker, prompt for credentials, and so on; `nil` leaves it to the provider.
  public var prompt: Prompt?
  /// Whether the provider shows its account picker if an account is signed in already, so that another can be added.
  ///
  /// It has no effect together with ``prompt``, ``loginHint`` or ``TokenParameters/account``.
  public var addsAccount = false
  /// The username to prefill.
  public var loginHint: String?
  /// The account's domain or kind, which skips a page at Microsoft.
  public var domainHint: String?
  /// Scopes to consent to now and to use in later requests.
  public var extraScopesToConsent: [String] = []
  /// The maximum age of the user's authentication, in whole seconds (`max_age`).
  public var maxAge: Duration?
  /// The requested authentication contexts, separated by spaces (RFC 9470).
  public var acrValues: String?
  /// How the response is returned; `nil` for `form_post` if Microsoft offers it, else `query`.
  public var responseMode: ResponseMode?
  /// How long to wait for the user, at most a day; `nil` for five minutes in the browser, and until a device code expires.
  public var timeout: Duration?
  /// How the browser is used.
  public var browserUse = BrowserUse.open
  /// The browser's side of this one sign-in; `nil` for a ``LocalUserAgent``.
  public var userAgent: (any UserAgent)?
  /// Prompts for the address that the browser was redirected to, if it can't reach the listener; `nil` never prompts.
  ///
  /// It is called again with the reason if an address was rejected, until it returns `nil`. Its task is canceled once the
  /// browser has reached the listener. With it, the provider returns its response in the address, never in a form.
  public var pastedRedirect: (@Sendable (_ refusal: String?) async -> String?)?
  /// Receives events during the sign-in, on any thread.
  public var onEvent: (@Sendable (BrowserEvent) -> Void)?

  /// Whether to wait for a sign-in that another process of this application has begun, and to use its result.
  package var joinsRunningSignIn = false
  /// When the request began; with a forced refresh, tokens that were stored before are ignored.
  var newerThan: UnixTime?

  /// The maximum of a wait for the user: a day.
  package static let maximumTimeout: Duration = .seconds(86_400)
  /// Enough for a second factor on another device, and a port isn't held all day.
  package static let defaultTimeout: Duration = .seconds(300)
  package var browserTimeout: Duration { timeout ?? Self.defaultTimeout }

  public init() {}
}

extension Duration {
  /// Checks how long a call may wait for the user.
  func checkTimeout() throws(AuthenticationError) {
    try check("the timeout", upTo: Interaction.maximumTimeout, reason: "timeout_invalid")
  }

  func check(
    _ name: String,
    upTo maximum: Duration,
    reason: AuthenticationError.Reason
  ) throws(AuthenticationError) {
    guard !(.zero...maximum).contains(self) else { return }
    let message = "\(name) isn't a number of seconds from 0 to \(maximum.components.seconds)"
    throw AuthenticationError(.invalidParameter, message, reason: reason)
  }
}
