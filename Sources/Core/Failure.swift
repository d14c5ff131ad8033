/// Why something failed, in the words that the user reads.
package struct Failure: Error, Sendable, Hashable {
  package var code: FailureCode
  package var reason: FailureReason
  /// What happened, in one line without a full stop, fit for a terminal.
  package var message: String
  /// What to do, where that is more exact than what usually helps.
  package var hint: Hint?
  /// How long to wait before the same request may succeed, if that is known.
  package var retryAfter: Duration?

  package init(_ code: FailureCode, _ reason: FailureReason, _ message: String, hint: Hint? = nil) {
    self.code = code
    self.reason = reason
    self.message = message
    self.hint = hint
  }

  /// The calling task was cancelled.
  package static let canceled = Failure(.canceled, "canceled", "cancelled")
}

extension Failure: CustomStringConvertible {
  package var description: String { message }
}

/// What went wrong, as a stable word.
public enum FailureCode: String, Sendable, CaseIterable {
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
