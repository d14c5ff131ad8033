import Foundation
import MSAL

extension Surface {
  /// 1.3 Parameters.
  mutating func parameters() {
    use("MSALParameters.completionBlockQueue", \MSALParameters.completionBlockQueue)
    use("MSALTokenParameters.scopes", \MSALTokenParameters.scopes)
    use("MSALTokenParameters.account", \MSALTokenParameters.account)
    use("MSALTokenParameters.authority", \MSALTokenParameters.authority)
    use("MSALTokenParameters.claimsRequest", \MSALTokenParameters.claimsRequest)
    use("MSALTokenParameters.extraQueryParameters", \MSALTokenParameters.extraQueryParameters)
    use("MSALTokenParameters.correlationId", \MSALTokenParameters.correlationId)
    use("MSALTokenParameters.authenticationScheme", \MSALTokenParameters.authenticationScheme)
    use(
      "MSALInteractiveTokenParameters.init(scopes:webviewParameters:)",
      MSALInteractiveTokenParameters.init(scopes:webviewParameters:)
    )
    use("MSALInteractiveTokenParameters.promptType", \MSALInteractiveTokenParameters.promptType)
    use("MSALInteractiveTokenParameters.loginHint", \MSALInteractiveTokenParameters.loginHint)
    use("MSALInteractiveTokenParameters.domainHint", \MSALInteractiveTokenParameters.domainHint)
    use("MSALInteractiveTokenParameters.extraScopesToConsent", \MSALInteractiveTokenParameters.extraScopesToConsent)
    use("MSALInteractiveTokenParameters.webviewParameters", \MSALInteractiveTokenParameters.webviewParameters)
    use("MSALInteractiveTokenParameters.preferredAuthMethod", \MSALInteractiveTokenParameters.preferredAuthMethod)
    use("MSALWebviewParameters.init()", MSALWebviewParameters.init as () -> MSALWebviewParameters)
    use(
      "MSALWebviewParameters.init(authPresentationViewController:)",
      MSALWebviewParameters.init(authPresentationViewController:)
    )
    use("MSALWebviewParameters.parentViewController", \MSALWebviewParameters.parentViewController)
    use(
      "MSALWebviewParameters.prefersEphemeralWebBrowserSession",
      \MSALWebviewParameters.prefersEphemeralWebBrowserSession
    )
    use("MSALWebviewParameters.webviewType", \MSALWebviewParameters.webviewType)
    use("MSALSilentTokenParameters.init(scopes:account:)", MSALSilentTokenParameters.init(scopes:account:))
    use("MSALSilentTokenParameters.forceRefresh", \MSALSilentTokenParameters.forceRefresh)
    use(
      "MSALSilentTokenParameters.allowUsingLocalCachedRtWhenSsoExtFailed",
      \MSALSilentTokenParameters.allowUsingLocalCachedRtWhenSsoExtFailed
    )
    use("MSALSignoutParameters.init(webviewParameters:)", MSALSignoutParameters.init(webviewParameters:))
    use("MSALSignoutParameters.webviewParameters", \MSALSignoutParameters.webviewParameters)
    use("MSALSignoutParameters.signoutFromBrowser", \MSALSignoutParameters.signoutFromBrowser)
    use("MSALSignoutParameters.wipeAccount", \MSALSignoutParameters.wipeAccount)
    use("MSALSignoutParameters.wipeCacheForAllAccounts", \MSALSignoutParameters.wipeCacheForAllAccounts)
    use("MSALSignoutParameters.extraQueryParameters", \MSALSignoutParameters.extraQueryParameters)
    use(
      "MSALAccountEnumerationParameters.init(identifier:)",
      ({ MSALAccountEnumerationParameters(identifier: $0) } as (String) -> MSALAccountEnumerationParameters)
    )
    use(
      "MSALAccountEnumerationParameters.init(identifier:username:)",
      MSALAccountEnumerationParameters.init(identifier:username:)
    )
    use(
      "MSALAccountEnumerationParameters.init(tenantProfileIdentifier:)",
      MSALAccountEnumerationParameters.init(tenantProfileIdentifier:)
    )
    use("MSALAccountEnumerationParameters.identifier", \MSALAccountEnumerationParameters.identifier)
    use(
      "MSALAccountEnumerationParameters.tenantProfileIdentifier",
      \MSALAccountEnumerationParameters.tenantProfileIdentifier
    )
    use("MSALAccountEnumerationParameters.username", \MSALAccountEnumerationParameters.username)
    use(
      "MSALAccountEnumerationParameters.returnOnlySignedInAccounts",
      \MSALAccountEnumerationParameters.returnOnlySignedInAccounts
    )
    use(casesOf: MSALPromptType.self)
    use("MSALPromptType.default", MSALPromptType.default)
    use(casesOf: MSALPreferredAuthMethod.self)
    use("MSALClaimsRequest.init(jsonString:)", MSALClaimsRequest.init(jsonString:))
    use("MSALClaimsRequest.jsonString()", MSALClaimsRequest.jsonString)
    use("MSALClaimsRequest.requestClaim(_:for:)", MSALClaimsRequest.requestClaim)
    use("MSALClaimsRequest.claimRequests(for:)", MSALClaimsRequest.claimRequests)
    use("MSALClaimsRequest.removeClaimRequest(withName:target:)", MSALClaimsRequest.removeClaimRequest)
    use("MSALIndividualClaimRequest.init(name:)", MSALIndividualClaimRequest.init(name:))
    use("MSALIndividualClaimRequest.additionalInfo", \MSALIndividualClaimRequest.additionalInfo)
    use("MSALIndividualClaimRequestAdditionalInfo.essential", \MSALIndividualClaimRequestAdditionalInfo.essential)
    use("MSALIndividualClaimRequestAdditionalInfo.value", \MSALIndividualClaimRequestAdditionalInfo.value)
    use("MSALIndividualClaimRequestAdditionalInfo.values", \MSALIndividualClaimRequestAdditionalInfo.values)
    use("MSALAuthenticationSchemeBearer.init()", MSALAuthenticationSchemeBearer.init)
    use(
      "MSALAuthenticationSchemePop.init(httpMethod:requestUrl:nonce:additionalParameters:)",
      MSALAuthenticationSchemePop.init
    )
    use(casesOf: MSALHttpMethod.self)
  }
}
