/// The provider's OAuth error, such as `invalid_grant`.
public let MSALOAuthErrorKey = "MSALOAuthErrorKey"
/// Entra's `suberror`.
public let MSALOAuthSubErrorKey = "MSALOAuthSubErrorKey"
/// A description of the `suberror`.
public let MSALOAuthSubErrorDescriptionKey = "MSALOAuthSubErrorDescriptionKey"
/// What went wrong, for a person.
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
/// The scopes that were asked for and not granted.
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
