/// Why a sign-in, a token request or a sign-out failed.
///
/// ``code`` is stable and meant for programs; ``message`` and ``hint`` are for the user. None of them ever contains a
/// token, an authorization code or a PKCE verifier. Control characters are removed from a provider's text.
public struct AuthenticationError: Error, Sendable {
  /// What went wrong, for programs.
  public var code: Code
  /// The rule that was violated or the step that failed; more exact than ``code``.
  public var reason: Reason?
  /// What went wrong, as one sentence without a period.
  public var message: String
  /// Replaces the hint of the code.
  package var specificHint: Hint?
  /// The scopes that were not granted, with ``Code/serverDeclinedScopes``.
  public var declinedScopes: [String] = []
  /// How long to wait before the same request may succeed, if known.
  public var retryAfter: Duration?
  /// The unexpected HTTP status of a response.
  public var httpStatus: Int?
  /// Whether no request was sent, because the same request failed recently (MSAL: `MSALThrottlingCacheHitKey`).
  public var isThrottled = false
  private var attachments: [ObjectIdentifier: any Sendable] = [:]

  /// Creates an error, for a user agent or for tests of an application; without a hint, ``hint`` is the code's.
  public init(_ code: Code, _ message: String, reason: Reason? = nil, hint: Hint? = nil) {
    (self.code, self.message, self.reason, specificHint) = (code, message, reason, hint)
  }

  package static let canceled = Self(.canceled, "canceled", reason: "canceled")

  /// Creates an error from any error; an unexpected type becomes ``Code/internalError``.
  package init(wrapping error: any Error) {
    switch error {
    case let error as Self: self = error
    case is CancellationError: self = .canceled
    default: self.init(.internalError, "unexpected error: \(error)".printable(), reason: "unexpected")
    }
  }

  /// A value that another module attached, by its type.
  package subscript<Value: Sendable>(_ type: Value.Type) -> Value? {
    get { attachments[ObjectIdentifier(type)] as? Value }
    set { attachments[ObjectIdentifier(type)] = newValue }
  }

  package static func checkCancellation() throws(Self) {
    if Task.isCancelled { throw .canceled }
  }

  /// Whether the user has to sign in.
  package var needsSignIn: Bool { code == .interactionRequired || code == .accountRequired }

  /// What the user can do about it.
  public var hint: Hint? {
    get { specificHint ?? code.defaultHint }
    set { specificHint = newValue }
  }
}

extension AuthenticationError: Equatable {
  /// Compares everything but attachments, such as the provider's error.
  public static func == (one: Self, other: Self) -> Bool {
    (one.code, one.reason, one.message, one.hint) == (other.code, other.reason, other.message, other.hint)
      && (one.declinedScopes, one.retryAfter, one.httpStatus, one.isThrottled)
        == (other.declinedScopes, other.retryAfter, other.httpStatus, other.isThrottled)
  }
}

extension AuthenticationError: CustomStringConvertible {
  /// The message and the hint.
  public var description: String {
    hint.map { "\(message) (\($0))" } ?? message
  }
}

extension AuthenticationError {
  /// What went wrong, as a stable word.
  public enum Code: String, Sendable, CaseIterable {
    /// The user must sign in, consent or pass a second factor (MSAL: `interactionRequired`, -50002).
    case interactionRequired = "interaction_required"
    /// The user or the provider denied or canceled the request (MSAL: `userCanceled`, -50005).
    case userCanceled = "user_canceled"
    /// The provider granted fewer scopes than requested; the valid result is attached (MSAL: `serverDeclinedScopes`, -50003).
    case serverDeclinedScopes = "server_declined_scopes"
    /// No account matches (MSAL: `accountRequired`).
    case accountRequired = "account_required"
    /// Several accounts match (MSAL: `ambiguousAccount`).
    case ambiguousAccount = "ambiguous_account"
    /// The sign-in was not completed in time.
    case timedOut = "timed_out"
    /// The provider can't be reached, or is temporarily unavailable.
    case providerUnreachable = "provider_unreachable"
    /// The provider returned an error (MSAL: `serverError`, -50006).
    case serverError = "server_error"
    /// The provider's response violates the protocol and was discarded.
    case invalidResponse = "invalid_response"
    /// The token store is locked, damaged, full or not trustworthy.
    case storeUnavailable = "store_unavailable"
    /// The listener for the redirect can't be opened.
    case listenerFailed = "listener_failed"
    /// The configuration, or a file that it names, is invalid.
    case invalidConfiguration = "invalid_configuration"
    /// A parameter of the call is invalid (MSAL: `invalidParameter`).
    case invalidParameter = "invalid_parameter"
    /// The calling task was canceled.
    case canceled = "canceled"
    /// The system failed, for example because libcurl is missing.
    case internalError = "internal_error"
  }

  /// The rule that was violated or the step that failed, as a stable word.
  ///
  /// For a provider's error, it is the provider's error code, such as `invalid_grant`. Programs compare a reason with a
  /// string: `error.reason == "no_refresh_token"`.
  public struct Reason: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    public var rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public init(stringLiteral word: String) { rawValue = word }

    /// The tokens are for an account other than the requested one.
    public static let accountMismatch: Self = "account_mismatch"
    /// The device has no identity broker, or the broker doesn't serve the request.
    public static let brokerAbsent: Self = "broker_absent"
    /// No browser could be opened.
    public static let browserNotOpened: Self = "browser_not_opened"
    /// The provider's metadata can't be used.
    public static let invalidMetadata: Self = "invalid_metadata"
    /// The account has no refresh token.
    public static let noRefreshToken: Self = "no_refresh_token"
    /// No redirect arrived in time.
    public static let noRedirect: Self = "no_redirect"
    /// An account other than the requested one signed in.
    public static let otherAccount: Self = "other_account"
    /// The redirect URI is not a loopback address.
    public static let redirectURIInvalid: Self = "redirect_uri_invalid"
    /// The provider rejected the account's refresh token (`invalid_grant`).
    public static let refreshTokenRefused: Self = "refresh_token_refused"
    /// The account is signed out.
    public static let signedOut: Self = "signed_out"
    /// The host can't be reached.
    public static let unreachable: Self = "unreachable"
  }
}

extension AuthenticationError.Reason: CustomStringConvertible {
  public var description: String { rawValue }
}

extension AuthenticationError.Code {
  var defaultHint: Hint? {
    switch self {
    case .interactionRequired: .signIn
    case .providerUnreachable: .tryAgainLater()
    case .serverError: .checkRegistration
    case .invalidResponse: .reportToProvider
    case .storeUnavailable:
      """
      check that the token store can be read and written, or use another with \
      \(setting: "store", or: "the store setting")
      """
    case .invalidConfiguration, .invalidParameter: .documentation
    case .internalError:
      "report it, with a verbose log of the same call (\(action: .logVerbosely, or: "log level verbose"))"
    case .userCanceled, .serverDeclinedScopes, .accountRequired, .ambiguousAccount, .timedOut, .listenerFailed,
      .canceled:
      nil
    }
  }
}

/// Why a value is rejected, as the end of a sentence that begins with its name.
package struct Rejection: Error, Sendable, Hashable {
  package let reason: String

  package init(_ reason: String) { self.reason = reason }
}
