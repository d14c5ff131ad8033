import MSAL

extension Surface {
  /// 1.6 Errors.
  static let errors =
    MSALError.allCases.map { "MSALError.\($0)" } + MSALInternalError.allCases.map { "MSALInternalError.\($0)" }
    + constants.map(\.key)

  private static let constants: KeyValuePairs = [
    "MSALErrorDomain": MSALErrorDomain, "MSALOAuthErrorKey": MSALOAuthErrorKey,
    "MSALOAuthSubErrorKey": MSALOAuthSubErrorKey, "MSALOAuthSubErrorDescriptionKey": MSALOAuthSubErrorDescriptionKey,
    "MSALErrorDescriptionKey": MSALErrorDescriptionKey, "MSALSTSErrorCodesKey": MSALSTSErrorCodesKey,
    "MSALInternalErrorCodeKey": MSALInternalErrorCodeKey, "MSALHTTPHeadersKey": MSALHTTPHeadersKey,
    "MSALHTTPResponseCodeKey": MSALHTTPResponseCodeKey, "MSALCorrelationIDKey": MSALCorrelationIDKey,
    "MSALDeclinedScopesKey": MSALDeclinedScopesKey, "MSALGrantedScopesKey": MSALGrantedScopesKey,
    "MSALInvalidResultKey": MSALInvalidResultKey, "MSALDisplayableUserIdKey": MSALDisplayableUserIdKey,
    "MSALBrokerVersionKey": MSALBrokerVersionKey, "MSALHomeAccountIdKey": MSALHomeAccountIdKey,
    "MSALThrottlingCacheHitKey": MSALThrottlingCacheHitKey,
  ]
}
