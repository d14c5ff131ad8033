@_exported public import Core
public import FoundationEssentials

/// Why a sign-in, a token request or a sign-out did not succeed.
///
/// ``code`` is stable and meant for programs, ``message`` is for people, ``remedy`` for either. None of them ever holds a token,
/// an authorization code or a PKCE verifier, and text that came from a provider has lost its control characters.
public struct AuthenticationError: Error, Sendable {
  /// What went wrong, as a stable word.
  public enum Code: String, Sendable, CaseIterable {
    /// The person has to sign in, consent or pass a second factor (MSAL: `interactionRequired`, -50002).
    case interactionRequired = "interaction_required"
    /// The person or the provider denied or cancelled (MSAL: `userCanceled`, -50005).
    case userCanceled = "user_canceled"
    /// The provider granted less than was asked; the valid result is attached (MSAL: `serverDeclinedScopes`, -50003).
    case serverDeclinedScopes = "server_declined_scopes"
    /// No account fits what was asked (MSAL: `accountRequired`).
    case accountRequired = "account_required"
    /// More than one account fits (MSAL: `ambiguousAccount`).
    case ambiguousAccount = "ambiguous_account"
    /// Nobody answered in the browser within the time.
    case timedOut = "timed_out"
    /// The provider could not be reached, or asks to come back later.
    case providerUnreachable = "provider_unreachable"
    /// The provider answered with an error (MSAL: `serverError`, -50006).
    case serverError = "server_error"
    /// The provider's answer breaks the protocol's rules, so nothing of it was used.
    case invalidResponse = "invalid_response"
    /// The token store is locked, damaged, full or not to be trusted.
    case storeUnavailable = "store_unavailable"
    /// The listener for the redirect could not be opened.
    case listenerFailed = "listener_failed"
    /// The application's configuration is wrong.
    case invalidConfiguration = "invalid_configuration"
    /// A parameter of the call is wrong (MSAL: `invalidParameter`).
    case invalidParameter = "invalid_parameter"
    /// The calling task was cancelled.
    case canceled = "canceled"
    /// The system failed: no random bytes, no libcurl.
    case internalError = "internal_error"
  }

  /// What went wrong, for programs.
  public var code: Code
  /// The rule that was broken or the step that failed, more exact than ``code``.
  public var reason: Reason?
  /// What went wrong, in one sentence without a full stop.
  public var message: String
  /// What the person can do about it.
  public var remedy: Remedy?
  /// What the provider said of it.
  public var provider: ProviderError?
  /// The accounts that all fit, with ``Code/ambiguousAccount``.
  public var candidates: [Account]
  /// The valid result, with ``Code/serverDeclinedScopes``.
  public var result: TokenResult?
  /// The scopes that were not granted, with ``Code/serverDeclinedScopes``.
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
  ///   - remedy: What the person can do about it; nil for what usually helps.
  ///   - provider: What the provider said of it.
  ///   - candidates: The accounts that all fit.
  ///   - result: The valid result, when scopes were declined.
  public init(
    _ code: Code,
    _ message: String,
    reason: Reason? = nil,
    remedy: Remedy? = nil,
    provider: ProviderError? = nil,
    candidates: [Account] = [],
    result: TokenResult? = nil
  ) {
    self.code = code
    self.message = message
    self.reason = reason
    self.remedy = remedy ?? code.usualRemedy
    self.provider = provider
    self.candidates = candidates
    self.result = result
  }
}

extension AuthenticationError.Code {
  /// What to do where nothing more exact is known; nil where that depends on the caller.
  var usualRemedy: Remedy? {
    switch self {
    case .userCanceled: .signIn(then: "accept what is asked for")
    case .interactionRequired: .signIn()
    case .providerUnreachable: .tryAgainLater()
    case .serverError: .checkRegistration
    case .invalidResponse: .reportToProvider()
    case .storeUnavailable: .checkStore
    case .invalidConfiguration, .invalidParameter: .readDocumentation
    case .internalError: .report
    case .serverDeclinedScopes, .accountRequired, .ambiguousAccount, .timedOut, .listenerFailed, .canceled: nil
    }
  }
}

extension AuthenticationError: CustomStringConvertible {
  /// The message, with the remedy behind it.
  public var description: String {
    remedy.map { "\(message) (\($0))" } ?? message
  }
}

/// What a provider said of a failure (RFC 6749 §5.2, and what Microsoft Entra adds).
public struct ProviderError: Sendable, Hashable {
  /// The OAuth error code, such as `invalid_grant`.
  public var error: String
  /// The provider's description, without control characters.
  public var description: String?
  /// Entra's `suberror`, such as `consent_required`.
  public var subError: String?
  /// Entra's numbers, such as 50011 for AADSTS50011.
  public var codes: [Int]
  /// The correlation id to name when asking an administrator for help.
  public var correlationID: String?
  /// The provider's own trace id.
  public var traceID: String?
  /// The provider's page about the error; `https` alone.
  public var errorURI: URL?
  /// What the next sign-in has to bring, as JSON for ``InteractiveTokenParameters/claims`` (conditional access).
  public var claims: String?

  /// Makes the record of a provider's error.
  ///
  /// - Parameters:
  ///   - error: The OAuth error code.
  ///   - description: The provider's description, without control characters.
  ///   - subError: Entra's `suberror`.
  ///   - codes: Entra's numbers.
  ///   - correlationID: The correlation id of the request.
  ///   - traceID: The provider's trace id.
  ///   - errorURI: The provider's page about the error.
  ///   - claims: A claims request as JSON, which the next sign-in has to bring.
  public init(
    error: String,
    description: String? = nil,
    subError: String? = nil,
    codes: [Int] = [],
    correlationID: String? = nil,
    traceID: String? = nil,
    errorURI: URL? = nil,
    claims: String? = nil
  ) {
    self.error = error
    self.description = description
    self.subError = subError
    self.codes = codes
    self.correlationID = correlationID
    self.traceID = traceID
    self.errorURI = errorURI
    self.claims = claims
  }
}
