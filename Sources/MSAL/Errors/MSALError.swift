/// The domain of the errors of this library.
public let MSALErrorDomain = "MSALErrorDomain"

/// The codes of errors that an application may handle; every other failure is ``internal``.
public enum MSALError: Int, Sendable, CaseIterable {
  /// Nothing that an application can mend; ``MSALInternalErrorCodeKey`` says which ``MSALInternalError`` it was.
  case `internal` = -50000
  /// The device has to be registered, which is a broker's work; does not happen on Linux.
  case workplaceJoinRequired = -50001
  /// The person has to sign in.
  case interactionRequired = -50002
  /// The provider granted less than was asked; ``MSALInvalidResultKey`` holds the result.
  case serverDeclinedScopes = -50003
  /// The organization wants an application protection policy, which only a broker could set up; there is none on Linux.
  case serverProtectionPoliciesRequired = -50004
  /// The person, the application or the provider cancelled.
  case userCanceled = -50005
  /// The provider failed (`server_error`); reported as ``internal`` with this code inside, as in MSAL.
  case serverError = -50006
  /// The device's key is not strong enough; a broker's work.
  case insufficientDeviceStrength = -50007
  /// Device management was just set up; a broker's work.
  case mdmEnrollmentCompletedNeedsRetry = -50008
  /// The person has to set a new password (AADSTS50142).
  case serverInvalidRequestResetPasswordRequired = -50142
}

/// The provider's OAuth error, such as `invalid_grant`.
public let MSALOAuthErrorKey = "MSALOAuthErrorKey"
/// Entra's `suberror`.
public let MSALOAuthSubErrorKey = "MSALOAuthSubErrorKey"
/// A description of the `suberror`.
public let MSALOAuthSubErrorDescriptionKey = "MSALOAuthSubErrorDescriptionKey"
/// What went wrong, for the user.
public let MSALErrorDescriptionKey = "MSALErrorDescriptionKey"
/// Entra's numbers, as an array of `Int`.
public let MSALSTSErrorCodesKey = "MSALSTSErrorCodesKey"
/// The raw value of the ``MSALInternalError``.
public let MSALInternalErrorCodeKey = "MSALInternalErrorCodeKey"
/// The headers of an unexpected HTTP response.
public let MSALHTTPHeadersKey = "MSALHTTPHeadersKey"
/// The status of an unexpected HTTP response, as a text.
public let MSALHTTPResponseCodeKey = "MSALHTTPResponseCodeKey"
/// The id that the request carried.
public let MSALCorrelationIDKey = "MSALCorrelationIDKey"
/// The scopes that were requested and not granted.
public let MSALDeclinedScopesKey = "MSALDeclinedScopesKey"
/// The scopes that were granted.
public let MSALGrantedScopesKey = "MSALGrantedScopesKey"
/// The ``MSALResult`` that is good in spite of the error.
public let MSALInvalidResultKey = "MSALInvalidResultKey"
/// The username of the account in question.
public let MSALDisplayableUserIdKey = "MSALDisplayableUserIdKey"
/// A broker's version; Apple's systems only.
public let MSALBrokerVersionKey = "MSALBrokerVersionKey"
/// The home account id of the account in question.
public let MSALHomeAccountIdKey = "MSALHomeAccountIdKey"
/// `true` when an earlier failure is repeated without a request; absent otherwise.
public let MSALThrottlingCacheHitKey = "MSALThrottlingCacheHitKey"
