import Foundation
import MSAL

extension Surface {
  /// 1.6 Errors.
  mutating func errors() {
    use("MSALErrorDomain", MSALErrorDomain)
    for code in MSALError.allCases { use("MSALError.\(code)", code) }
    for code in MSALInternalError.allCases { use("MSALInternalError.\(code)", code) }
    use("MSALOAuthErrorKey", MSALOAuthErrorKey)
    use("MSALOAuthSubErrorKey", MSALOAuthSubErrorKey)
    use("MSALOAuthSubErrorDescriptionKey", MSALOAuthSubErrorDescriptionKey)
    use("MSALErrorDescriptionKey", MSALErrorDescriptionKey)
    use("MSALSTSErrorCodesKey", MSALSTSErrorCodesKey)
    use("MSALInternalErrorCodeKey", MSALInternalErrorCodeKey)
    use("MSALHTTPHeadersKey", MSALHTTPHeadersKey)
    use("MSALHTTPResponseCodeKey", MSALHTTPResponseCodeKey)
    use("MSALCorrelationIDKey", MSALCorrelationIDKey)
    use("MSALDeclinedScopesKey", MSALDeclinedScopesKey)
    use("MSALGrantedScopesKey", MSALGrantedScopesKey)
    use("MSALInvalidResultKey", MSALInvalidResultKey)
    use("MSALDisplayableUserIdKey", MSALDisplayableUserIdKey)
    use("MSALBrokerVersionKey", MSALBrokerVersionKey)
    use("MSALHomeAccountIdKey", MSALHomeAccountIdKey)
    use("MSALThrottlingCacheHitKey", MSALThrottlingCacheHitKey)
  }
}
