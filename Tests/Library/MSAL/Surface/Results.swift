import Foundation
import MSAL

extension Surface {
  /// 1.4 Results and accounts.
  mutating func results() {
    use("MSALResult.accessToken", \MSALResult.accessToken)
    use("MSALResult.expiresOn", \MSALResult.expiresOn)
    use("MSALResult.extendedLifeTimeToken", \MSALResult.extendedLifeTimeToken)
    use("MSALResult.idToken", \MSALResult.idToken)
    use("MSALResult.scopes", \MSALResult.scopes)
    use("MSALResult.tenantProfile", \MSALResult.tenantProfile)
    use("MSALResult.account", \MSALResult.account)
    use("MSALResult.authority", \MSALResult.authority)
    use("MSALResult.correlationId", \MSALResult.correlationId)
    use("MSALResult.authorizationHeader", \MSALResult.authorizationHeader)
    use("MSALResult.authenticationScheme", \MSALResult.authenticationScheme)
    use("MSALAccount.username", \MSALAccount.username)
    use("MSALAccount.identifier", \MSALAccount.identifier)
    use("MSALAccount.environment", \MSALAccount.environment)
    use("MSALAccount.accountClaims", \MSALAccount.accountClaims)
    use("MSALAccount.tenantProfiles", \MSALAccount.tenantProfiles)
    use("MSALAccount.homeAccountId", \MSALAccount.homeAccountId)
    use("MSALAccount.isSSOAccount", \MSALAccount.isSSOAccount)
    use("MSALAccountId.identifier", \MSALAccountId.identifier)
    use("MSALAccountId.objectId", \MSALAccountId.objectId)
    use("MSALAccountId.tenantId", \MSALAccountId.tenantId)
    use("MSALTenantProfile.identifier", \MSALTenantProfile.identifier)
    use("MSALTenantProfile.environment", \MSALTenantProfile.environment)
    use("MSALTenantProfile.tenantId", \MSALTenantProfile.tenantId)
    use("MSALTenantProfile.isHomeTenantProfile", \MSALTenantProfile.isHomeTenantProfile)
    use("MSALTenantProfile.claims", \MSALTenantProfile.claims)
    use("MSALDeviceInformation.deviceMode", \MSALDeviceInformation.deviceMode)
    use("MSALDeviceInformation.configuredPreferredAuthMethod", \MSALDeviceInformation.configuredPreferredAuthMethod)
    use("MSALDeviceInformation.hasAADSSOExtension", \MSALDeviceInformation.hasAADSSOExtension)
    use("MSALDeviceInformation.extraDeviceInformation", \MSALDeviceInformation.extraDeviceInformation)
    use("MSALDeviceInformation.platformSSOStatus", \MSALDeviceInformation.platformSSOStatus)
  }
}
