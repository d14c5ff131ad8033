/// Why a sign-in, a token request or a sign-out did not succeed.
///
/// ``code`` is stable and meant for programs, ``message`` and ``hint`` are for the user. None of them ever holds a
/// token, an authorization code or a PKCE verifier, and text that came from a provider has lost its control characters.
public struct AuthenticationError: Error, Sendable {
  /// What went wrong, as a stable word.
  public typealias Code = FailureCode
  /// The rule that was broken or the step that failed; more exact than ``Code``.
  public typealias Reason = FailureReason

  /// What went wrong, for programs.
  public var code: Code
  /// The rule that was broken or the step that failed, more exact than ``code``.
  public var reason: Reason?
  /// What went wrong, in one sentence without a full stop.
  public var message: String
  /// What the person can do about it.
  public var hint: Hint?
  /// What the provider said of it.
  public var provider: ProviderError?
  /// The accounts that all fit, with `Code.ambiguousAccount`.
  public var candidates: [Account]
  /// The valid result, with `Code.serverDeclinedScopes`.
  public var result: TokenResult?
  /// The scopes that were not granted, with `Code.serverDeclinedScopes`.
  public var declinedScopes: [String] = []
  /// How long to wait before the same request may succeed, if that is known.
  public var retryAfter: Duration?
  /// The HTTP status of a response that should have had another.
  public var httpStatus: Int?
  /// Whether nothing was sent, since the same request failed a moment ago (MSAL: `MSALThrottlingCacheHitKey`).
  public var isThrottled = false

  /// Makes an error.
  ///
  /// - Parameters:
  ///   - code: What went wrong, for programs.
  ///   - message: What went wrong, in one sentence without a full stop.
  ///   - reason: The exact rule or step.
  ///   - hint: What the person can do about it; nil for what usually helps.
  ///   - provider: What the provider said of it.
  ///   - candidates: The accounts that all fit.
  ///   - result: The valid result, when scopes were declined.
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
    self.hint = hint ?? code.usualHint
    self.provider = provider
    self.candidates = candidates
    self.result = result
  }
}

extension AuthenticationError.Code {
  /// What to do where nothing more exact is known; nil where that depends on the caller.
  var usualHint: Hint? {
    switch self {
    case .userCanceled: "\(signIn: []) and accept what is asked for"
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
  /// The message, with the hint behind it.
  public var description: String {
    hint.map { "\(message) (\($0))" } ?? message
  }
}
