import MSAL

extension Surface {
  /// 1.4 Results and accounts.
  static let results: [[String]] = [
    Members<MSALResult>([
      "accessToken": \.accessToken, "expiresOn": \.expiresOn, "extendedLifeTimeToken": \.extendedLifeTimeToken,
      "idToken": \.idToken, "scopes": \.scopes, "tenantProfile": \.tenantProfile, "account": \.account,
      "authority": \.authority, "correlationId": \.correlationId, "authorizationHeader": \.authorizationHeader,
      "authenticationScheme": \.authenticationScheme,
    ]).names,
    Members<MSALAccount>([
      "username": \.username, "identifier": \.identifier, "environment": \.environment,
      "accountClaims": \.accountClaims, "tenantProfiles": \.tenantProfiles, "homeAccountId": \.homeAccountId,
      "isSSOAccount": \.isSSOAccount,
    ]).names,
    Members<MSALAccountId>(["identifier": \.identifier, "objectId": \.objectId, "tenantId": \.tenantId]).names,
    Members<MSALTenantProfile>([
      "identifier": \.identifier, "environment": \.environment, "tenantId": \.tenantId,
      "isHomeTenantProfile": \.isHomeTenantProfile, "claims": \.claims,
    ]).names,
    Members<MSALDeviceInformation>([
      "deviceMode": \.deviceMode, "configuredPreferredAuthMethod": \.configuredPreferredAuthMethod,
      "hasAADSSOExtension": \.hasAADSSOExtension, "extraDeviceInformation": \.extraDeviceInformation,
      "platformSSOStatus": \.platformSSOStatus,
    ]).names,
  ]
}
