/// Why something failed, in the words that the user reads.
package struct Failure: Error, Sendable, Hashable {
  package var code: FailureCode
  package var reason: FailureReason
  /// What happened, printable on one line, without a period.
  package var message: String
  /// What to do, if that is more specific than the code's usual advice.
  package var hint: Hint?
  /// How long until the same request may succeed.
  package var retryAfter: Duration?

  package init(_ code: FailureCode, _ reason: FailureReason, _ message: String, hint: Hint? = nil) {
    (self.code, self.reason, self.message, self.hint) = (code, reason, message, hint)
  }

  package static let canceled = Failure(.canceled, "canceled", "canceled")
}

extension Failure: CustomStringConvertible {
  package var description: String { message }
}

/// What went wrong, as a stable word.
public enum FailureCode: String, Sendable, CaseIterable {
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
/// The reason of a provider's error is the provider's word, such as `invalid_grant`. Programs compare a reason with a
/// string: `error.reason == "no_refresh_token"`.
public struct FailureReason: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
  public var rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }

  public init(stringLiteral word: String) { rawValue = word }

  /// The tokens are for another account than the one requested.
  public static let accountMismatch: Self = "account_mismatch"
  /// No browser could be opened.
  public static let browserNotOpened: Self = "browser_not_opened"
  /// The provider's metadata can't be used.
  public static let invalidMetadata: Self = "invalid_metadata"
  /// The account has no refresh token.
  public static let noRefreshToken: Self = "no_refresh_token"
  /// No redirect arrived in time.
  public static let noRedirect: Self = "no_redirect"
  /// Another account signed in than the one requested.
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

extension FailureReason: CustomStringConvertible {
  public var description: String { rawValue }
}

/// Why a value is rejected, as the end of a sentence that begins with its name.
package struct Refusal: Error, Sendable, Hashable {
  package let reason: String

  package init(_ reason: String) { self.reason = reason }
}
