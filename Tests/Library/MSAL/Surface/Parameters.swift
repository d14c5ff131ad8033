import MSAL

extension Surface {
  private typealias Interactive = MSALInteractiveTokenParameters
  private typealias Webview = MSALWebviewParameters
  private typealias Silent = MSALSilentTokenParameters
  private typealias SignOut = MSALSignoutParameters
  private typealias Enumeration = MSALAccountEnumerationParameters
  private typealias Claims = MSALClaimsRequest
  private typealias Claim = MSALIndividualClaimRequest

  /// 1.3 Parameters.
  static let parameters: [[String]] = [
    Members<MSALParameters>(["completionBlockQueue": \.completionBlockQueue]).names,
    Members<MSALTokenParameters>([
      "scopes": \.scopes, "account": \.account, "authority": \.authority, "claimsRequest": \.claimsRequest,
      "extraQueryParameters": \.extraQueryParameters, "correlationId": \.correlationId,
      "authenticationScheme": \.authenticationScheme,
    ]).names,
    Members<Interactive>(other: ["init(scopes:webviewParameters:)": Interactive.init(scopes:webviewParameters:)]).names,
    Members<Interactive>([
      "promptType": \.promptType, "loginHint": \.loginHint, "domainHint": \.domainHint,
      "extraScopesToConsent": \.extraScopesToConsent, "webviewParameters": \.webviewParameters,
      "preferredAuthMethod": \.preferredAuthMethod,
    ]).names,
    Members<Webview>(other: [
      "init()": Webview.init as () -> Webview,
      "init(authPresentationViewController:)": Webview.init(authPresentationViewController:),
      "parentViewController": \Webview.parentViewController,
      "prefersEphemeralWebBrowserSession": \Webview.prefersEphemeralWebBrowserSession,
      "webviewType": \Webview.webviewType,
    ]).names,
    Members<Silent>(other: [
      "init(scopes:account:)": Silent.init(scopes:account:),
      "forceRefresh": \Silent.forceRefresh,
      "allowUsingLocalCachedRtWhenSsoExtFailed": \Silent.allowUsingLocalCachedRtWhenSsoExtFailed,
    ]).names,
    Members<SignOut>(other: ["init(webviewParameters:)": SignOut.init(webviewParameters:)]).names,
    Members<SignOut>([
      "webviewParameters": \.webviewParameters, "signoutFromBrowser": \.signoutFromBrowser,
      "wipeAccount": \.wipeAccount, "wipeCacheForAllAccounts": \.wipeCacheForAllAccounts,
      "extraQueryParameters": \.extraQueryParameters,
    ]).names,
    Members<Enumeration>(other: [
      "init(identifier:)": Enumeration.init(identifier:) as (String) -> Enumeration,
      "init(identifier:username:)": Enumeration.init(identifier:username:),
      "init(tenantProfileIdentifier:)": Enumeration.init(tenantProfileIdentifier:),
    ]).names,
    Members<Enumeration>([
      "identifier": \.identifier, "tenantProfileIdentifier": \.tenantProfileIdentifier, "username": \.username,
      "returnOnlySignedInAccounts": \.returnOnlySignedInAccounts,
    ]).names,
    cases(of: MSALPromptType.self),
    Members<MSALPromptType>(other: ["default": MSALPromptType.default]).names,
    cases(of: MSALPreferredAuthMethod.self),
    Members<Claims>(other: [
      "init(jsonString:)": Claims.init(jsonString:), "jsonString()": Claims.jsonString,
      "requestClaim(_:for:)": Claims.requestClaim, "claimRequests(for:)": Claims.claimRequests,
      "removeClaimRequest(withName:target:)": Claims.removeClaimRequest,
    ]).names,
    Members<Claim>(other: ["init(name:)": Claim.init(name:), "additionalInfo": \Claim.additionalInfo]).names,
    Members<MSALIndividualClaimRequestAdditionalInfo>([
      "essential": \.essential, "value": \.value, "values": \.values,
    ]).names,
    Members<MSALAuthenticationSchemeBearer>(other: ["init()": MSALAuthenticationSchemeBearer.init]).names,
    Members<MSALAuthenticationSchemePop>(other: [
      "init(httpMethod:requestUrl:nonce:additionalParameters:)": MSALAuthenticationSchemePop.init
    ]).names,
    cases(of: MSALHttpMethod.self),
  ]
}
