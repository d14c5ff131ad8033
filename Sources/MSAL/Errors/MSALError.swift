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
  /// The organization requires an app protection policy (`protection_policy_required`), which Linux doesn't have.
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
/// A description of the `suberror`; never set on Linux.
public let MSALOAuthSubErrorDescriptionKey = "MSALOAuthSubErrorDescriptionKey"
/// What went wrong, for the user.
public let MSALErrorDescriptionKey = "MSALErrorDescriptionKey"
/// Entra's numbers, as an array of `Int`.
public let MSALSTSErrorCodesKey = "MSALSTSErrorCodesKey"
/// The raw value of the ``MSALInternalError``.
public let MSALInternalErrorCodeKey = "MSALInternalErrorCodeKey"
/// The headers of an unexpected HTTP response; never set on Linux.
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

/// What went wrong within ``MSALError/internal``, under ``MSALInternalErrorCodeKey``.
///
/// Codes of brokers, of device registration and of Apple's web views exist so that code compiles; most never occur on
/// Linux.
public enum MSALInternalError: Int, Sendable, CaseIterable {
  /// A parameter is missing or invalid.
  case invalidParameter = -42000
  /// A redirect scheme isn't registered; Apple's systems only.
  case redirectSchemeNotRegistered = -42001
  /// The provider rejected the request (`invalid_request`).
  case invalidRequest = -42002
  /// The provider doesn't recognize the client (`invalid_client`).
  case invalidClient = -42003
  /// The provider rejected the grant (`invalid_grant`).
  case invalidGrant = -42004
  /// The provider rejected the scopes (`invalid_scope`).
  case invalidScope = -42005
  /// The client isn't allowed to send this request (`unauthorized_client`).
  case unauthorizedClient = -42006
  /// The provider's response can't be parsed.
  case unhandledResponse = -42007
  /// An unexpected failure.
  case unexpected = -42008
  /// The provider returned an unexpected HTTP status.
  case unexpectedHttpResponse = -42009
  /// The authority isn't trusted or has no metadata.
  case failedAuthorityValidation = -42010
  /// The redirect URI can't be used.
  case invalidRedirectURI = -42011
  /// A user other than the expected one signed in.
  case mismatchedUser = -42101
  /// More than one account matches.
  case ambiguousAccount = -42102
  /// The authorization failed.
  case authorizationFailed = -42104
  /// There is no account.
  case accountRequired = -42106
  /// The session was canceled.
  case sessionCanceled = -42401
  /// Another interactive session runs in this process.
  case interactiveSessionAlreadyRunning = -42402
  /// No browser could be opened.
  case noViewController = -42403
  /// An extension can't open a URL; Apple's systems only.
  case attemptToOpenURLFromExtension = -42404
  /// An extension can't show anything; Apple's systems only.
  case uiNotSupportedInExtension = -42405
  /// The response's state is wrong.
  case invalidState = -42501
  /// The response violates the protocol.
  case invalidResponse = -42600
  /// A redirect to a URL without https.
  case nonHttpsRedirect = -42602
  /// A broker didn't respond; Apple's systems only.
  case brokerResponseNotReceived = -42700
  /// A broker's response has nothing to resume; Apple's systems only.
  case brokerNoResumeStateFound = -42701
  /// A broker's response resumes damaged data; Apple's systems only.
  case brokerBadResumeStateFound = -42702
  /// A broker's response resumes something else; Apple's systems only.
  case brokerMismatchedResumeState = -42703
  /// A broker's response has no hash; Apple's systems only.
  case brokerResponseHashMissing = -42704
  /// A broker's response is damaged; Apple's systems only.
  case brokerCorruptedResponse = -42705
  /// A broker's response can't be decrypted; Apple's systems only.
  case brokerResponseDecryptionFailed = -42706
  /// A broker's response has the wrong hash; Apple's systems only.
  case brokerResponseHashMismatch = -42707
  /// A broker's key wasn't created; Apple's systems only.
  case brokerKeyFailedToCreate = -42708
  /// A broker's key wasn't found; Apple's systems only.
  case brokerKeyNotFound = -42709
  /// A broker failed for an unknown reason; Apple's systems only.
  case brokerUnknown = -42711
  /// A broker's application token wasn't written; Apple's systems only.
  case brokerApplicationTokenWriteFailed = -42712
  /// A broker's application token wasn't read; Apple's systems only.
  case brokerApplicationTokenReadFailed = -42713
  /// There is no broker.
  case brokerNotAvailable = -42714
  /// The URL of a web session is invalid; Apple's systems only.
  case invalidASWebAuthenticationURL = -42745
}
