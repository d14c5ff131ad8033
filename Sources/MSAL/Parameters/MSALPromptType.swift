import MSAuth

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

  var record: Prompt? {
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
