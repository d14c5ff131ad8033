import Foundation
import MSAL

/// A use of every name that `API.md` says is here, by that name: what is gone does not compile.
enum Surface {
  static var uses: [(name: String, use: Any)] {
    section1 + section2 + section3 + section4 + section5 + section6
  }

  // 1.1 MSALPublicClientApplication
  private static var section1: [(name: String, use: Any)] {
    var uses: [(name: String, use: Any)] = []
    uses.append(
      (
        "MSALPublicClientApplication.init(configuration:)",
        ({ _ = try MSALPublicClientApplication(configuration: $0) }
          as (MSALPublicClientApplicationConfig) throws -> Void) as Any
      )
    )
    uses.append(
      (
        "MSALPublicClientApplication.init(clientId:)",
        ({ _ = try MSALPublicClientApplication(clientId: $0) } as (String) throws -> Void) as Any
      )
    )
    uses.append(("MSALPublicClientApplication.configuration", \MSALPublicClientApplication.configuration as Any))
    uses.append(("MSALPublicClientApplication.allAccounts()", MSALPublicClientApplication.allAccounts as Any))
    uses.append(
      (
        "MSALPublicClientApplication.account(forIdentifier:)",
        MSALPublicClientApplication.account(forIdentifier:) as Any
      )
    )
    uses.append(
      ("MSALPublicClientApplication.account(forUsername:)", MSALPublicClientApplication.account(forUsername:) as Any)
    )
    uses.append(("MSALPublicClientApplication.accounts(for:)", MSALPublicClientApplication.accounts(for:) as Any))
    uses.append(
      (
        "MSALPublicClientApplication.accountsFromDevice(for:completionBlock:)",
        MSALPublicClientApplication.accountsFromDevice(for:completionBlock:) as Any
      )
    )
    uses.append(
      (
        "MSALPublicClientApplication.getCurrentAccount(with:completionBlock:)",
        MSALPublicClientApplication.getCurrentAccount(with:completionBlock:) as Any
      )
    )
    uses.append(
      (
        "MSALPublicClientApplication.acquireToken(with:completionBlock:)",
        MSALPublicClientApplication.acquireToken(with:completionBlock:) as Any
      )
    )
    uses.append(
      (
        "MSALPublicClientApplication.acquireTokenSilent(with:completionBlock:)",
        MSALPublicClientApplication.acquireTokenSilent(with:completionBlock:) as Any
      )
    )
    uses.append(("MSALPublicClientApplication.remove(_:)", MSALPublicClientApplication.remove as Any))
    uses.append(
      (
        "MSALPublicClientApplication.signout(with:signoutParameters:completionBlock:)",
        MSALPublicClientApplication.signout(with:signoutParameters:completionBlock:) as Any
      )
    )
    uses.append(
      (
        "MSALPublicClientApplication.getDeviceInformation(with:completionBlock:)",
        MSALPublicClientApplication.getDeviceInformation(with:completionBlock:) as Any
      )
    )
    uses.append(
      (
        "MSALPublicClientApplication.handleMSALResponse(_:sourceApplication:)",
        MSALPublicClientApplication.handleMSALResponse as Any
      )
    )
    uses.append(
      (
        "MSALPublicClientApplication.cancelCurrentWebAuthSession()",
        MSALPublicClientApplication.cancelCurrentWebAuthSession as Any
      )
    )
    uses.append(
      (
        "MSALPublicClientApplication.isCompatibleAADBrokerAvailable",
        \MSALPublicClientApplication.isCompatibleAADBrokerAvailable as Any
      )
    )
    uses.append(
      ("MSALPublicClientApplication.sdkVersion", ({ MSALPublicClientApplication.sdkVersion } as () -> String) as Any)
    )
    return uses
  }

  // 1.2 Configuration
  private static var section2: [(name: String, use: Any)] {
    var uses: [(name: String, use: Any)] = []
    uses.append(
      (
        "MSALPublicClientApplicationConfig.init(clientId:redirectUri:authority:)",
        MSALPublicClientApplicationConfig.init(clientId:redirectUri:authority:) as Any
      )
    )
    uses.append(
      ("MSALPublicClientApplicationConfig.init(clientId:)", MSALPublicClientApplicationConfig.init(clientId:) as Any)
    )
    uses.append(("MSALPublicClientApplicationConfig.clientId", \MSALPublicClientApplicationConfig.clientId as Any))
    uses.append(
      ("MSALPublicClientApplicationConfig.redirectUri", \MSALPublicClientApplicationConfig.redirectUri as Any)
    )
    uses.append(("MSALPublicClientApplicationConfig.authority", \MSALPublicClientApplicationConfig.authority as Any))
    uses.append(
      ("MSALPublicClientApplicationConfig.knownAuthorities", \MSALPublicClientApplicationConfig.knownAuthorities as Any)
    )
    uses.append(
      (
        "MSALPublicClientApplicationConfig.extendedLifetimeEnabled",
        \MSALPublicClientApplicationConfig.extendedLifetimeEnabled as Any
      )
    )
    uses.append(
      (
        "MSALPublicClientApplicationConfig.clientApplicationCapabilities",
        \MSALPublicClientApplicationConfig.clientApplicationCapabilities as Any
      )
    )
    uses.append(
      (
        "MSALPublicClientApplicationConfig.tokenExpirationBuffer",
        \MSALPublicClientApplicationConfig.tokenExpirationBuffer as Any
      )
    )
    uses.append(
      ("MSALPublicClientApplicationConfig.sliceConfig", \MSALPublicClientApplicationConfig.sliceConfig as Any)
    )
    uses.append(
      ("MSALPublicClientApplicationConfig.cacheConfig", \MSALPublicClientApplicationConfig.cacheConfig as Any)
    )
    uses.append(
      (
        "MSALPublicClientApplicationConfig.multipleCloudsSupported",
        \MSALPublicClientApplicationConfig.multipleCloudsSupported as Any
      )
    )
    uses.append(
      (
        "MSALPublicClientApplicationConfig.bypassRedirectURIValidation",
        \MSALPublicClientApplicationConfig.bypassRedirectURIValidation as Any
      )
    )
    uses.append(("MSALSliceConfig.init(slice:dc:)", MSALSliceConfig.init(slice:dc:) as Any))
    uses.append(("MSALGlobalConfig.httpConfig", ({ MSALGlobalConfig.httpConfig } as () -> MSALHTTPConfig) as Any))
    uses.append(
      ("MSALGlobalConfig.telemetryConfig", ({ MSALGlobalConfig.telemetryConfig } as () -> MSALTelemetryConfig) as Any)
    )
    uses.append(("MSALGlobalConfig.loggerConfig", ({ MSALGlobalConfig.loggerConfig } as () -> MSALLoggerConfig) as Any))
    uses.append(
      (
        "MSALGlobalConfig.brokerAvailability",
        ({ MSALGlobalConfig.brokerAvailability } as () -> MSALBrokeredAvailability) as Any
      )
    )
    uses.append(("MSALHTTPConfig.retryCount", \MSALHTTPConfig.retryCount as Any))
    uses.append(("MSALHTTPConfig.retryInterval", \MSALHTTPConfig.retryInterval as Any))
    uses.append(("MSALHTTPConfig.timeoutIntervalForRequest", \MSALHTTPConfig.timeoutIntervalForRequest as Any))
    uses.append(("MSALLoggerConfig.logLevel", \MSALLoggerConfig.logLevel as Any))
    uses.append(("MSALLoggerConfig.logMaskingLevel", \MSALLoggerConfig.logMaskingLevel as Any))
    uses.append(("MSALLoggerConfig.setLogCallback(_:)", MSALLoggerConfig.setLogCallback as Any))
    uses.append(("MSALTelemetryConfig.piiEnabled", \MSALTelemetryConfig.piiEnabled as Any))
    uses.append(("MSALTelemetryConfig.notifyOnFailureOnly", \MSALTelemetryConfig.notifyOnFailureOnly as Any))
    uses.append(("MSALTelemetryConfig.telemetryCallback", \MSALTelemetryConfig.telemetryCallback as Any))
    uses.append(("MSALCacheConfig.keychainSharingGroup", \MSALCacheConfig.keychainSharingGroup as Any))
    uses.append(
      (
        "MSALCacheConfig.defaultKeychainSharingGroup",
        ({ MSALCacheConfig.defaultKeychainSharingGroup } as () -> String) as Any
      )
    )
    return uses
  }

  // 1.3 Parameters
  private static var section3: [(name: String, use: Any)] {
    var uses: [(name: String, use: Any)] = []
    uses.append(("MSALParameters.completionBlockQueue", \MSALParameters.completionBlockQueue as Any))
    uses.append(("MSALTokenParameters.scopes", \MSALTokenParameters.scopes as Any))
    uses.append(("MSALTokenParameters.account", \MSALTokenParameters.account as Any))
    uses.append(("MSALTokenParameters.authority", \MSALTokenParameters.authority as Any))
    uses.append(("MSALTokenParameters.claimsRequest", \MSALTokenParameters.claimsRequest as Any))
    uses.append(("MSALTokenParameters.extraQueryParameters", \MSALTokenParameters.extraQueryParameters as Any))
    uses.append(("MSALTokenParameters.correlationId", \MSALTokenParameters.correlationId as Any))
    uses.append(("MSALTokenParameters.authenticationScheme", \MSALTokenParameters.authenticationScheme as Any))
    uses.append(
      (
        "MSALInteractiveTokenParameters.init(scopes:webviewParameters:)",
        MSALInteractiveTokenParameters.init(scopes:webviewParameters:) as Any
      )
    )
    uses.append(("MSALInteractiveTokenParameters.promptType", \MSALInteractiveTokenParameters.promptType as Any))
    uses.append(("MSALInteractiveTokenParameters.loginHint", \MSALInteractiveTokenParameters.loginHint as Any))
    uses.append(("MSALInteractiveTokenParameters.domainHint", \MSALInteractiveTokenParameters.domainHint as Any))
    uses.append(
      (
        "MSALInteractiveTokenParameters.extraScopesToConsent",
        \MSALInteractiveTokenParameters.extraScopesToConsent as Any
      )
    )
    uses.append(
      ("MSALInteractiveTokenParameters.webviewParameters", \MSALInteractiveTokenParameters.webviewParameters as Any)
    )
    uses.append(
      ("MSALInteractiveTokenParameters.preferredAuthMethod", \MSALInteractiveTokenParameters.preferredAuthMethod as Any)
    )
    uses.append(("MSALWebviewParameters.init()", MSALWebviewParameters.init as () -> MSALWebviewParameters as Any))
    uses.append(
      (
        "MSALWebviewParameters.init(authPresentationViewController:)",
        MSALWebviewParameters.init(authPresentationViewController:) as Any
      )
    )
    uses.append(("MSALWebviewParameters.parentViewController", \MSALWebviewParameters.parentViewController as Any))
    uses.append(
      (
        "MSALWebviewParameters.prefersEphemeralWebBrowserSession",
        \MSALWebviewParameters.prefersEphemeralWebBrowserSession as Any
      )
    )
    uses.append(("MSALWebviewParameters.webviewType", \MSALWebviewParameters.webviewType as Any))
    uses.append(
      ("MSALSilentTokenParameters.init(scopes:account:)", MSALSilentTokenParameters.init(scopes:account:) as Any)
    )
    uses.append(("MSALSilentTokenParameters.forceRefresh", \MSALSilentTokenParameters.forceRefresh as Any))
    uses.append(
      (
        "MSALSilentTokenParameters.allowUsingLocalCachedRtWhenSsoExtFailed",
        \MSALSilentTokenParameters.allowUsingLocalCachedRtWhenSsoExtFailed as Any
      )
    )
    uses.append(
      ("MSALSignoutParameters.init(webviewParameters:)", MSALSignoutParameters.init(webviewParameters:) as Any)
    )
    uses.append(("MSALSignoutParameters.webviewParameters", \MSALSignoutParameters.webviewParameters as Any))
    uses.append(("MSALSignoutParameters.signoutFromBrowser", \MSALSignoutParameters.signoutFromBrowser as Any))
    uses.append(("MSALSignoutParameters.wipeAccount", \MSALSignoutParameters.wipeAccount as Any))
    uses.append(
      ("MSALSignoutParameters.wipeCacheForAllAccounts", \MSALSignoutParameters.wipeCacheForAllAccounts as Any)
    )
    uses.append(("MSALSignoutParameters.extraQueryParameters", \MSALSignoutParameters.extraQueryParameters as Any))
    uses.append(
      (
        "MSALAccountEnumerationParameters.init(identifier:)",
        ({ MSALAccountEnumerationParameters(identifier: $0) } as (String) -> MSALAccountEnumerationParameters) as Any
      )
    )
    uses.append(
      (
        "MSALAccountEnumerationParameters.init(identifier:username:)",
        MSALAccountEnumerationParameters.init(identifier:username:) as Any
      )
    )
    uses.append(
      (
        "MSALAccountEnumerationParameters.init(tenantProfileIdentifier:)",
        MSALAccountEnumerationParameters.init(tenantProfileIdentifier:) as Any
      )
    )
    uses.append(("MSALAccountEnumerationParameters.identifier", \MSALAccountEnumerationParameters.identifier as Any))
    uses.append(
      (
        "MSALAccountEnumerationParameters.tenantProfileIdentifier",
        \MSALAccountEnumerationParameters.tenantProfileIdentifier as Any
      )
    )
    uses.append(("MSALAccountEnumerationParameters.username", \MSALAccountEnumerationParameters.username as Any))
    uses.append(
      (
        "MSALAccountEnumerationParameters.returnOnlySignedInAccounts",
        \MSALAccountEnumerationParameters.returnOnlySignedInAccounts as Any
      )
    )
    uses.append(("MSALPromptType.selectAccount", MSALPromptType.selectAccount as Any))
    uses.append(("MSALPromptType.login", MSALPromptType.login as Any))
    uses.append(("MSALPromptType.consent", MSALPromptType.consent as Any))
    uses.append(("MSALPromptType.create", MSALPromptType.create as Any))
    uses.append(("MSALPromptType.promptIfNecessary", MSALPromptType.promptIfNecessary as Any))
    uses.append(("MSALPromptType.default", MSALPromptType.default as Any))
    uses.append(("MSALPreferredAuthMethod.none", MSALPreferredAuthMethod.none as Any))
    uses.append(("MSALPreferredAuthMethod.qrpin", MSALPreferredAuthMethod.qrpin as Any))
    uses.append(("MSALClaimsRequest.init(jsonString:)", MSALClaimsRequest.init(jsonString:) as Any))
    uses.append(("MSALClaimsRequest.jsonString()", MSALClaimsRequest.jsonString as Any))
    uses.append(("MSALClaimsRequest.requestClaim(_:for:)", MSALClaimsRequest.requestClaim as Any))
    uses.append(("MSALClaimsRequest.claimRequests(for:)", MSALClaimsRequest.claimRequests as Any))
    uses.append(("MSALClaimsRequest.removeClaimRequest(withName:target:)", MSALClaimsRequest.removeClaimRequest as Any))
    uses.append(("MSALIndividualClaimRequest.init(name:)", MSALIndividualClaimRequest.init(name:) as Any))
    uses.append(("MSALIndividualClaimRequest.additionalInfo", \MSALIndividualClaimRequest.additionalInfo as Any))
    uses.append(
      ("MSALIndividualClaimRequestAdditionalInfo.essential", \MSALIndividualClaimRequestAdditionalInfo.essential as Any)
    )
    uses.append(
      ("MSALIndividualClaimRequestAdditionalInfo.value", \MSALIndividualClaimRequestAdditionalInfo.value as Any)
    )
    uses.append(
      ("MSALIndividualClaimRequestAdditionalInfo.values", \MSALIndividualClaimRequestAdditionalInfo.values as Any)
    )
    uses.append(("MSALAuthenticationSchemeBearer.init()", MSALAuthenticationSchemeBearer.init as Any))
    uses.append(
      (
        "MSALAuthenticationSchemePop.init(httpMethod:requestUrl:nonce:additionalParameters:)",
        MSALAuthenticationSchemePop.init as Any
      )
    )
    uses.append(("MSALHttpMethod.GET", MSALHttpMethod.GET as Any))
    uses.append(("MSALHttpMethod.HEAD", MSALHttpMethod.HEAD as Any))
    uses.append(("MSALHttpMethod.POST", MSALHttpMethod.POST as Any))
    uses.append(("MSALHttpMethod.PUT", MSALHttpMethod.PUT as Any))
    uses.append(("MSALHttpMethod.DELETE", MSALHttpMethod.DELETE as Any))
    uses.append(("MSALHttpMethod.CONNECT", MSALHttpMethod.CONNECT as Any))
    uses.append(("MSALHttpMethod.OPTIONS", MSALHttpMethod.OPTIONS as Any))
    uses.append(("MSALHttpMethod.TRACE", MSALHttpMethod.TRACE as Any))
    uses.append(("MSALHttpMethod.PATCH", MSALHttpMethod.PATCH as Any))
    return uses
  }

  // 1.4 Results and accounts
  private static var section4: [(name: String, use: Any)] {
    var uses: [(name: String, use: Any)] = []
    uses.append(("MSALResult.accessToken", \MSALResult.accessToken as Any))
    uses.append(("MSALResult.expiresOn", \MSALResult.expiresOn as Any))
    uses.append(("MSALResult.extendedLifeTimeToken", \MSALResult.extendedLifeTimeToken as Any))
    uses.append(("MSALResult.idToken", \MSALResult.idToken as Any))
    uses.append(("MSALResult.scopes", \MSALResult.scopes as Any))
    uses.append(("MSALResult.tenantProfile", \MSALResult.tenantProfile as Any))
    uses.append(("MSALResult.account", \MSALResult.account as Any))
    uses.append(("MSALResult.authority", \MSALResult.authority as Any))
    uses.append(("MSALResult.correlationId", \MSALResult.correlationId as Any))
    uses.append(("MSALResult.authorizationHeader", \MSALResult.authorizationHeader as Any))
    uses.append(("MSALResult.authenticationScheme", \MSALResult.authenticationScheme as Any))
    uses.append(("MSALAccount.username", \MSALAccount.username as Any))
    uses.append(("MSALAccount.identifier", \MSALAccount.identifier as Any))
    uses.append(("MSALAccount.environment", \MSALAccount.environment as Any))
    uses.append(("MSALAccount.accountClaims", \MSALAccount.accountClaims as Any))
    uses.append(("MSALAccount.tenantProfiles", \MSALAccount.tenantProfiles as Any))
    uses.append(("MSALAccount.homeAccountId", \MSALAccount.homeAccountId as Any))
    uses.append(("MSALAccount.isSSOAccount", \MSALAccount.isSSOAccount as Any))
    uses.append(("MSALAccountId.identifier", \MSALAccountId.identifier as Any))
    uses.append(("MSALAccountId.objectId", \MSALAccountId.objectId as Any))
    uses.append(("MSALAccountId.tenantId", \MSALAccountId.tenantId as Any))
    uses.append(("MSALTenantProfile.identifier", \MSALTenantProfile.identifier as Any))
    uses.append(("MSALTenantProfile.environment", \MSALTenantProfile.environment as Any))
    uses.append(("MSALTenantProfile.tenantId", \MSALTenantProfile.tenantId as Any))
    uses.append(("MSALTenantProfile.isHomeTenantProfile", \MSALTenantProfile.isHomeTenantProfile as Any))
    uses.append(("MSALTenantProfile.claims", \MSALTenantProfile.claims as Any))
    uses.append(("MSALDeviceInformation.deviceMode", \MSALDeviceInformation.deviceMode as Any))
    uses.append(
      (
        "MSALDeviceInformation.configuredPreferredAuthMethod",
        \MSALDeviceInformation.configuredPreferredAuthMethod as Any
      )
    )
    uses.append(("MSALDeviceInformation.hasAADSSOExtension", \MSALDeviceInformation.hasAADSSOExtension as Any))
    uses.append(("MSALDeviceInformation.extraDeviceInformation", \MSALDeviceInformation.extraDeviceInformation as Any))
    uses.append(("MSALDeviceInformation.platformSSOStatus", \MSALDeviceInformation.platformSSOStatus as Any))
    return uses
  }

  // 1.5 Authorities and clouds
  private static var section5: [(name: String, use: Any)] {
    var uses: [(name: String, use: Any)] = []
    uses.append(("MSALAuthority.init(url:)", ({ try MSALAuthority(url: $0) } as (URL) throws -> MSALAuthority) as Any))
    uses.append(("MSALAuthority.url", \MSALAuthority.url as Any))
    uses.append(
      ("MSALAADAuthority.init(url:)", ({ try MSALAADAuthority(url: $0) } as (URL) throws -> MSALAADAuthority) as Any)
    )
    uses.append(
      (
        "MSALAADAuthority.init(url:rawTenant:)",
        ({ try MSALAADAuthority(url: $0, rawTenant: $1) } as (URL, String?) throws -> MSALAADAuthority) as Any
      )
    )
    uses.append(
      (
        "MSALAADAuthority.init(cloudInstance:audienceType:rawTenant:)",
        ({ try MSALAADAuthority(cloudInstance: $0, audienceType: $1, rawTenant: $2) }
          as (MSALAzureCloudInstance, MSALAudienceType, String?) throws -> MSALAADAuthority) as Any
      )
    )
    uses.append(
      (
        "MSALAADAuthority.init(environment:audienceType:rawTenant:)",
        ({ try MSALAADAuthority(environment: $0, audienceType: $1, rawTenant: $2) }
          as (String, MSALAudienceType, String?) throws -> MSALAADAuthority) as Any
      )
    )
    uses.append(
      (
        "MSALAudienceType.azureADAndPersonalMicrosoftAccountAudience",
        MSALAudienceType.azureADAndPersonalMicrosoftAccountAudience as Any
      )
    )
    uses.append(("MSALAudienceType.azureADMultipleOrgsAudience", MSALAudienceType.azureADMultipleOrgsAudience as Any))
    uses.append(("MSALAudienceType.azureADMyOrgOnlyAudience", MSALAudienceType.azureADMyOrgOnlyAudience as Any))
    uses.append(
      ("MSALAudienceType.personalMicrosoftAccountAudience", MSALAudienceType.personalMicrosoftAccountAudience as Any)
    )
    uses.append(("MSALAzureCloudInstance.publicCloudInstance", MSALAzureCloudInstance.publicCloudInstance as Any))
    uses.append(("MSALAzureCloudInstance.chinaCloudInstance", MSALAzureCloudInstance.chinaCloudInstance as Any))
    uses.append(("MSALAzureCloudInstance.germanyCloudInstance", MSALAzureCloudInstance.germanyCloudInstance as Any))
    uses.append(
      ("MSALAzureCloudInstance.usGovernmentCloudInstance", MSALAzureCloudInstance.usGovernmentCloudInstance as Any)
    )
    uses.append(("MSALAzureCloudInstance.franceCloudInstance", MSALAzureCloudInstance.franceCloudInstance as Any))
    uses.append(("MSALAzureCloudInstance.delosCloudInstance", MSALAzureCloudInstance.delosCloudInstance as Any))
    uses.append(("MSALAzureCloudInstance.govSGCloudInstance", MSALAzureCloudInstance.govSGCloudInstance as Any))
    uses.append(
      ("MSALB2CAuthority.init(url:)", ({ try MSALB2CAuthority(url: $0) } as (URL) throws -> MSALB2CAuthority) as Any)
    )
    uses.append(
      ("MSALCIAMAuthority.init(url:)", ({ try MSALCIAMAuthority(url: $0) } as (URL) throws -> MSALCIAMAuthority) as Any)
    )
    uses.append(
      ("MSALADFSAuthority.init(url:)", ({ try MSALADFSAuthority(url: $0) } as (URL) throws -> MSALADFSAuthority) as Any)
    )
    return uses
  }

  // 1.6 Errors
  private static var section6: [(name: String, use: Any)] {
    var uses: [(name: String, use: Any)] = []
    uses.append(("MSALErrorDomain", MSALErrorDomain as Any))
    uses.append(("MSALError.internal", MSALError.`internal` as Any))
    uses.append(("MSALError.workplaceJoinRequired", MSALError.workplaceJoinRequired as Any))
    uses.append(("MSALError.interactionRequired", MSALError.interactionRequired as Any))
    uses.append(("MSALError.serverDeclinedScopes", MSALError.serverDeclinedScopes as Any))
    uses.append(("MSALError.serverProtectionPoliciesRequired", MSALError.serverProtectionPoliciesRequired as Any))
    uses.append(("MSALError.userCanceled", MSALError.userCanceled as Any))
    uses.append(("MSALError.serverError", MSALError.serverError as Any))
    uses.append(("MSALError.insufficientDeviceStrength", MSALError.insufficientDeviceStrength as Any))
    uses.append(("MSALError.mdmEnrollmentCompletedNeedsRetry", MSALError.mdmEnrollmentCompletedNeedsRetry as Any))
    uses.append(
      (
        "MSALError.serverInvalidRequestResetPasswordRequired",
        MSALError.serverInvalidRequestResetPasswordRequired as Any
      )
    )
    uses.append(("MSALInternalError.invalidParameter", MSALInternalError.invalidParameter as Any))
    uses.append(("MSALInternalError.redirectSchemeNotRegistered", MSALInternalError.redirectSchemeNotRegistered as Any))
    uses.append(("MSALInternalError.invalidRequest", MSALInternalError.invalidRequest as Any))
    uses.append(("MSALInternalError.invalidClient", MSALInternalError.invalidClient as Any))
    uses.append(("MSALInternalError.invalidGrant", MSALInternalError.invalidGrant as Any))
    uses.append(("MSALInternalError.invalidScope", MSALInternalError.invalidScope as Any))
    uses.append(("MSALInternalError.unauthorizedClient", MSALInternalError.unauthorizedClient as Any))
    uses.append(("MSALInternalError.unhandledResponse", MSALInternalError.unhandledResponse as Any))
    uses.append(("MSALInternalError.unexpected", MSALInternalError.unexpected as Any))
    uses.append(("MSALInternalError.unexpectedHttpResponse", MSALInternalError.unexpectedHttpResponse as Any))
    uses.append(("MSALInternalError.failedAuthorityValidation", MSALInternalError.failedAuthorityValidation as Any))
    uses.append(("MSALInternalError.invalidRedirectURI", MSALInternalError.invalidRedirectURI as Any))
    uses.append(("MSALInternalError.mismatchedUser", MSALInternalError.mismatchedUser as Any))
    uses.append(("MSALInternalError.ambiguousAccount", MSALInternalError.ambiguousAccount as Any))
    uses.append(("MSALInternalError.authorizationFailed", MSALInternalError.authorizationFailed as Any))
    uses.append(("MSALInternalError.accountRequired", MSALInternalError.accountRequired as Any))
    uses.append(("MSALInternalError.sessionCanceled", MSALInternalError.sessionCanceled as Any))
    uses.append(
      ("MSALInternalError.interactiveSessionAlreadyRunning", MSALInternalError.interactiveSessionAlreadyRunning as Any)
    )
    uses.append(("MSALInternalError.noViewController", MSALInternalError.noViewController as Any))
    uses.append(
      ("MSALInternalError.attemptToOpenURLFromExtension", MSALInternalError.attemptToOpenURLFromExtension as Any)
    )
    uses.append(("MSALInternalError.uiNotSupportedInExtension", MSALInternalError.uiNotSupportedInExtension as Any))
    uses.append(("MSALInternalError.invalidState", MSALInternalError.invalidState as Any))
    uses.append(("MSALInternalError.invalidResponse", MSALInternalError.invalidResponse as Any))
    uses.append(("MSALInternalError.nonHttpsRedirect", MSALInternalError.nonHttpsRedirect as Any))
    uses.append(("MSALInternalError.brokerResponseNotReceived", MSALInternalError.brokerResponseNotReceived as Any))
    uses.append(("MSALInternalError.brokerNoResumeStateFound", MSALInternalError.brokerNoResumeStateFound as Any))
    uses.append(("MSALInternalError.brokerBadResumeStateFound", MSALInternalError.brokerBadResumeStateFound as Any))
    uses.append(("MSALInternalError.brokerMismatchedResumeState", MSALInternalError.brokerMismatchedResumeState as Any))
    uses.append(("MSALInternalError.brokerResponseHashMissing", MSALInternalError.brokerResponseHashMissing as Any))
    uses.append(("MSALInternalError.brokerCorruptedResponse", MSALInternalError.brokerCorruptedResponse as Any))
    uses.append(
      ("MSALInternalError.brokerResponseDecryptionFailed", MSALInternalError.brokerResponseDecryptionFailed as Any)
    )
    uses.append(("MSALInternalError.brokerResponseHashMismatch", MSALInternalError.brokerResponseHashMismatch as Any))
    uses.append(("MSALInternalError.brokerKeyFailedToCreate", MSALInternalError.brokerKeyFailedToCreate as Any))
    uses.append(("MSALInternalError.brokerKeyNotFound", MSALInternalError.brokerKeyNotFound as Any))
    uses.append(("MSALInternalError.brokerUnknown", MSALInternalError.brokerUnknown as Any))
    uses.append(
      (
        "MSALInternalError.brokerApplicationTokenWriteFailed",
        MSALInternalError.brokerApplicationTokenWriteFailed as Any
      )
    )
    uses.append(
      ("MSALInternalError.brokerApplicationTokenReadFailed", MSALInternalError.brokerApplicationTokenReadFailed as Any)
    )
    uses.append(("MSALInternalError.brokerNotAvailable", MSALInternalError.brokerNotAvailable as Any))
    uses.append(
      ("MSALInternalError.invalidASWebAuthenticationURL", MSALInternalError.invalidASWebAuthenticationURL as Any)
    )
    uses.append(("MSALOAuthErrorKey", MSALOAuthErrorKey as Any))
    uses.append(("MSALOAuthSubErrorKey", MSALOAuthSubErrorKey as Any))
    uses.append(("MSALOAuthSubErrorDescriptionKey", MSALOAuthSubErrorDescriptionKey as Any))
    uses.append(("MSALErrorDescriptionKey", MSALErrorDescriptionKey as Any))
    uses.append(("MSALSTSErrorCodesKey", MSALSTSErrorCodesKey as Any))
    uses.append(("MSALInternalErrorCodeKey", MSALInternalErrorCodeKey as Any))
    uses.append(("MSALHTTPHeadersKey", MSALHTTPHeadersKey as Any))
    uses.append(("MSALHTTPResponseCodeKey", MSALHTTPResponseCodeKey as Any))
    uses.append(("MSALCorrelationIDKey", MSALCorrelationIDKey as Any))
    uses.append(("MSALDeclinedScopesKey", MSALDeclinedScopesKey as Any))
    uses.append(("MSALGrantedScopesKey", MSALGrantedScopesKey as Any))
    uses.append(("MSALInvalidResultKey", MSALInvalidResultKey as Any))
    uses.append(("MSALDisplayableUserIdKey", MSALDisplayableUserIdKey as Any))
    uses.append(("MSALBrokerVersionKey", MSALBrokerVersionKey as Any))
    uses.append(("MSALHomeAccountIdKey", MSALHomeAccountIdKey as Any))
    uses.append(("MSALThrottlingCacheHitKey", MSALThrottlingCacheHitKey as Any))
    return uses
  }
}
