/// Why a sign-in, a token request or a sign-out failed.
///
/// ``code`` is stable and meant for programs; ``message`` and ``hint`` are for the user. None of them ever contains a
/// token, an authorization code or a PKCE verifier. Control characters are removed from a provider's text.
public struct AuthenticationError: Error, Sendable {
  /// What went wrong, as a stable word.
  public typealias Code = FailureCode
  /// The rule that was violated or the step that failed.
  public typealias Reason = FailureReason

  /// What went wrong, for programs.
  public var code: Code
  /// The rule that was violated or the step that failed; more exact than ``code``.
  public var reason: Reason?
  /// What went wrong, as one sentence without a period.
  public var message: String
  /// What the user can do about it.
  public var hint: Hint?
  /// The provider's error.
  public var provider: ProviderError?
  /// The accounts that match, with `Code.ambiguousAccount`.
  public var candidates: [Account]
  /// The valid result, with `Code.serverDeclinedScopes`.
  public var result: TokenResult?
  /// The scopes that were not granted, with `Code.serverDeclinedScopes`.
  public var declinedScopes: [String] = []
  /// How long to wait before the same request may succeed, if known.
  public var retryAfter: Duration?
  /// The unexpected HTTP status of a response.
  public var httpStatus: Int?
  /// Whether no request was sent, since the same one failed recently (MSAL: `MSALThrottlingCacheHitKey`).
  public var isThrottled = false

  public init(
    _ code: Code,
    _ message: String,
    reason: Reason? = nil,
    hint: Hint? = nil,
    provider: ProviderError? = nil,
    candidates: [Account] = [],
    result: TokenResult? = nil
  ) {
    self.code = code
    self.message = message
    self.reason = reason
    self.hint = hint ?? code.defaultHint
    self.provider = provider
    self.candidates = candidates
    self.result = result
  }
}

extension AuthenticationError.Code {
  var defaultHint: Hint? {
    switch self {
    case .userCanceled: "\(signIn: []) and accept the requested permissions"
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
      "report it, with a verbose log of the same call (\(setting: "verbose", or: "log level verbose"))"
    case .serverDeclinedScopes, .accountRequired, .ambiguousAccount, .timedOut, .listenerFailed, .canceled: nil
    }
  }
}

extension AuthenticationError: CustomStringConvertible {
  /// The message and the hint.
  public var description: String {
    hint.map { "\(message) (\($0))" } ?? message
  }
}
