import MSAuth

/// The parameters of every call.
public class MSALParameters: NSObject {
  /// The queue that runs the completion block; `nil` is the main queue after an interactive call or a sign-out, else any.
  ///
  /// On Linux the main queue runs only if the program runs it: `dispatchMain()`, or a `RunLoop` on the main thread.
  public var completionBlockQueue: DispatchQueue?

  public override init() { super.init() }
}

/// The parameters of every token request.
public class MSALTokenParameters: MSALParameters {
  /// The scopes of the access token.
  public var scopes: [String]
  /// The account; `nil` accepts any account.
  public var account: MSALAccount?
  /// The authority for this call; `nil` for the application's.
  public var authority: MSALAuthority?
  /// The requested claims; with them, no cached access token is used.
  public var claimsRequest: MSALClaimsRequest?
  /// Further parameters of the authorization request, and of the token endpoint's address.
  public var extraQueryParameters: [String: String]?
  /// The correlation ID, which is sent with requests and shown in errors; `nil` generates one.
  public var correlationId: UUID?
  /// The authentication scheme; only `Bearer` is available on Linux.
  public var authenticationScheme: (any MSALAuthenticationSchemeProtocol)?

  public init(scopes: [String]) {
    self.scopes = scopes
    super.init()
  }
}

/// The parameters of an interactive token request.
public final class MSALInteractiveTokenParameters: MSALTokenParameters {
  /// The page that the provider shows.
  public var promptType: MSALPromptType = .default
  /// The username to prefill; the username of ``MSALTokenParameters/account`` takes precedence.
  public var loginHint: String?
  /// The account's domain, which skips the provider's domain page.
  public var domainHint: String?
  /// Scopes to consent to now and to use in later requests.
  public var extraScopesToConsent: [String]?
  /// How the sign-in is shown.
  public var webviewParameters: MSALWebviewParameters
  /// The sign-in method to offer first.
  public var preferredAuthMethod: MSALPreferredAuthMethod = .none

  public init(scopes: [String], webviewParameters: MSALWebviewParameters) {
    self.webviewParameters = webviewParameters
    super.init(scopes: scopes)
  }

  public override convenience init(scopes: [String]) {
    self.init(scopes: scopes, webviewParameters: MSALWebviewParameters())
  }
}

/// The parameters of a silent token request.
public final class MSALSilentTokenParameters: MSALTokenParameters {
  /// Whether to refresh even if the cached token is valid.
  public var forceRefresh = false
  /// No effect on Linux.
  public var allowUsingLocalCachedRtWhenSsoExtFailed = true

  public init(scopes: [String], account: MSALAccount) {
    super.init(scopes: scopes)
    self.account = account
  }
}

/// The parameters of a sign-out.
public final class MSALSignoutParameters: MSALParameters {
  /// How the sign-out page is shown.
  public let webviewParameters: MSALWebviewParameters
  /// Whether to sign out in the browser too.
  public var signoutFromBrowser = false
  /// Whether every application that shares the store loses the account.
  public var wipeAccount = false
  /// Whether every application that shares the store loses every account.
  public var wipeCacheForAllAccounts = false
  /// Further parameters of the sign-out address.
  public var extraQueryParameters: [String: String]?

  public init(webviewParameters: MSALWebviewParameters) {
    self.webviewParameters = webviewParameters.copied()
    super.init()
  }
}

/// Which accounts to list.
public final class MSALAccountEnumerationParameters: MSALParameters {
  /// The home account ID.
  public let identifier: String?
  /// The account's object ID in any of its tenants.
  public let tenantProfileIdentifier: String?
  /// The username.
  public let username: String?
  /// Whether accounts that signed out of this application are omitted.
  public var returnOnlySignedInAccounts = true

  /// Creates parameters that match every account.
  public convenience override init() {
    self.init(identifier: nil, tenantProfileIdentifier: nil, username: nil)
  }

  /// Creates parameters for one account.
  public convenience init(identifier: String) {
    self.init(identifier: identifier, tenantProfileIdentifier: nil, username: nil)
  }

  /// Creates parameters for one account with that name.
  public convenience init(identifier: String?, username: String) {
    self.init(identifier: identifier, tenantProfileIdentifier: nil, username: username)
  }

  /// Creates parameters for an account as one tenant knows it.
  public convenience init(tenantProfileIdentifier: String) {
    self.init(identifier: nil, tenantProfileIdentifier: tenantProfileIdentifier, username: nil)
  }

  private init(identifier: String?, tenantProfileIdentifier: String?, username: String?) {
    self.identifier = identifier
    self.tenantProfileIdentifier = tenantProfileIdentifier
    self.username = username
    super.init()
  }

  /// Another object with the same values.
  func copied() -> MSALAccountEnumerationParameters {
    let copy = MSALAccountEnumerationParameters(
      identifier: identifier,
      tenantProfileIdentifier: tenantProfileIdentifier,
      username: username
    )
    copy.returnOnlySignedInAccounts = returnOnlySignedInAccounts
    copy.completionBlockQueue = completionBlockQueue
    return copy
  }

  var filter: AccountFilter {
    AccountFilter(
      identifier: identifier,
      tenantProfileIdentifier: tenantProfileIdentifier,
      username: username,
      includesSignedOut: !returnOnlySignedInAccounts
    )
  }
}

/// The page that the provider shows.
public enum MSALPromptType: UInt, Sendable {
  /// The account picker.
  case selectAccount
  /// Credentials, even with a browser session.
  case login
  /// Consent, even if already granted.
  case consent
  /// The form for a new account.
  case create
  /// Only what is needed.
  case promptIfNecessary

  /// Only what is needed.
  public static let `default` = MSALPromptType.promptIfNecessary

  var prompt: Prompt? {
    switch self {
    case .selectAccount: .selectAccount
    case .login: .login
    case .consent: .consent
    case .create: .create
    case .promptIfNecessary: nil
    }
  }
}

/// The sign-in method to offer first.
public enum MSALPreferredAuthMethod: UInt, Sendable {
  /// No preference.
  case none
  /// A QR code and a PIN; Entra's parameter `pc=18`.
  case qrpin
}

/// Where a sign-in can be shown on Apple's systems; on Linux it is always the system's browser.
public enum MSALWebviewType: Int, Sendable {
  /// The system's browser.
  case `default`
  /// An authentication session; the system's browser on Linux.
  case authenticationSession
  /// A web view in the application; the system's browser on Linux.
  case wkWebView

  /// A view of iOS.
  @available(*, unavailable, message: "a view of iOS; use .default, which is the system's browser")
  public static var safariViewController: MSALWebviewType { .default }
}

/// How a sign-in is shown: on Linux always in the system's browser, so most properties have no effect.
public final class MSALWebviewParameters: NSObject, NSCopying {
  /// Where to show it on Apple's systems; no effect on Linux.
  public var webviewType: MSALWebviewType = .default
  /// Whether to request a private browser session; no effect on Linux, where the browser's settings apply.
  public var prefersEphemeralWebBrowserSession = false
  /// The window to show it over on Apple's systems; no effect on Linux.
  public weak var parentViewController: AnyObject?

  /// UIKit's names, so that the compiler can suggest what to use instead.
  public enum PresentationStyle {
    case automatic, currentContext, custom, formSheet, fullScreen, none, overCurrentContext, overFullScreen, pageSheet
    case popover
  }

  /// How a web view covers the window on iOS.
  @available(*, unavailable, message: "the browser opens a window itself; remove the line")
  public var presentationStyle: PresentationStyle {
    get { .automatic }
    set {}
  }

  /// A web view of the application.
  @available(*, unavailable, message: "the sign-in is in the system's browser; remove the line")
  public var customWebview: Any? {
    get { nil }
    set {}
  }

  public override init() { super.init() }

  /// Creates parameters for a window, as on Apple's systems; the window is ignored on Linux.
  public init(authPresentationViewController: AnyObject) {
    self.parentViewController = authPresentationViewController
    super.init()
  }

  public func copy(with zone: NSZone? = nil) -> Any { copied() }

  func copied() -> MSALWebviewParameters {
    let copy = MSALWebviewParameters()
    copy.webviewType = webviewType
    copy.prefersEphemeralWebBrowserSession = prefersEphemeralWebBrowserSession
    copy.parentViewController = parentViewController
    return copy
  }
}
