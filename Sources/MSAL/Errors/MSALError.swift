/// The domain of the errors of this library.
public let MSALErrorDomain = "MSALErrorDomain"

/// The codes of errors that an application may handle; every other failure is ``internal``.
public enum MSALError: Int, Sendable, CaseIterable {
  /// An error that an application can't fix; ``MSALInternalErrorCodeKey`` has the ``MSALInternalError``.
  case `internal` = -50000
  /// The device must be registered by a broker; never occurs on Linux.
  case workplaceJoinRequired = -50001
  /// The user must sign in.
  case interactionRequired = -50002
  /// The provider granted fewer scopes than requested; ``MSALInvalidResultKey`` holds the result.
  case serverDeclinedScopes = -50003
  /// The organization requires an app protection policy, which needs a broker; Linux has none.
  case serverProtectionPoliciesRequired = -50004
  /// The user, the application or the provider canceled.
  case userCanceled = -50005
  /// The provider failed (`server_error`); reported as ``internal`` with this code inside, as in MSAL.
  case serverError = -50006
  /// The device's key is too weak; only with a broker.
  case insufficientDeviceStrength = -50007
  /// Device management was just set up; only with a broker.
  case mdmEnrollmentCompletedNeedsRetry = -50008
  /// The user must change the password (AADSTS50142).
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
/// The status of an unexpected HTTP response, as a string.
public let MSALHTTPResponseCodeKey = "MSALHTTPResponseCodeKey"
/// The request's correlation ID.
public let MSALCorrelationIDKey = "MSALCorrelationIDKey"
/// The scopes that were requested but not granted.
public let MSALDeclinedScopesKey = "MSALDeclinedScopesKey"
/// The scopes that were granted.
public let MSALGrantedScopesKey = "MSALGrantedScopesKey"
/// The ``MSALResult``, which is valid despite the error.
public let MSALInvalidResultKey = "MSALInvalidResultKey"
/// The username of the account in question.
public let MSALDisplayableUserIdKey = "MSALDisplayableUserIdKey"
/// A broker's version; Apple's systems only.
public let MSALBrokerVersionKey = "MSALBrokerVersionKey"
/// The home account ID of the account in question.
public let MSALHomeAccountIdKey = "MSALHomeAccountIdKey"
/// `true` when an earlier failure is repeated without a request; absent otherwise.
public let MSALThrottlingCacheHitKey = "MSALThrottlingCacheHitKey"
