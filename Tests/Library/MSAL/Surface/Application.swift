import Foundation
import MSAL

extension Surface {
  /// 1.1 MSALPublicClientApplication.
  mutating func application() {
    use(
      "MSALPublicClientApplication.init(configuration:)",
      ({ _ = try MSALPublicClientApplication(configuration: $0) } as (MSALPublicClientApplicationConfig) throws -> Void)
    )
    use(
      "MSALPublicClientApplication.init(clientId:)",
      ({ _ = try MSALPublicClientApplication(clientId: $0) } as (String) throws -> Void)
    )
    use("MSALPublicClientApplication.configuration", \MSALPublicClientApplication.configuration)
    use("MSALPublicClientApplication.allAccounts()", MSALPublicClientApplication.allAccounts)
    use("MSALPublicClientApplication.account(forIdentifier:)", MSALPublicClientApplication.account(forIdentifier:))
    use("MSALPublicClientApplication.account(forUsername:)", MSALPublicClientApplication.account(forUsername:))
    use("MSALPublicClientApplication.accounts(for:)", MSALPublicClientApplication.accounts(for:))
    use(
      "MSALPublicClientApplication.accountsFromDevice(for:completionBlock:)",
      MSALPublicClientApplication.accountsFromDevice(for:completionBlock:)
    )
    use(
      "MSALPublicClientApplication.getCurrentAccount(with:completionBlock:)",
      MSALPublicClientApplication.getCurrentAccount(with:completionBlock:)
    )
    use(
      "MSALPublicClientApplication.acquireToken(with:completionBlock:)",
      MSALPublicClientApplication.acquireToken(with:completionBlock:)
    )
    use(
      "MSALPublicClientApplication.acquireTokenSilent(with:completionBlock:)",
      MSALPublicClientApplication.acquireTokenSilent(with:completionBlock:)
    )
    use("MSALPublicClientApplication.remove(_:)", MSALPublicClientApplication.remove)
    use(
      "MSALPublicClientApplication.signout(with:signoutParameters:completionBlock:)",
      MSALPublicClientApplication.signout(with:signoutParameters:completionBlock:)
    )
    use(
      "MSALPublicClientApplication.getDeviceInformation(with:completionBlock:)",
      MSALPublicClientApplication.getDeviceInformation(with:completionBlock:)
    )
    use(
      "MSALPublicClientApplication.handleMSALResponse(_:sourceApplication:)",
      MSALPublicClientApplication.handleMSALResponse
    )
    use(
      "MSALPublicClientApplication.cancelCurrentWebAuthSession()",
      MSALPublicClientApplication.cancelCurrentWebAuthSession
    )
    use(
      "MSALPublicClientApplication.isCompatibleAADBrokerAvailable",
      \MSALPublicClientApplication.isCompatibleAADBrokerAvailable
    )
    use("MSALPublicClientApplication.sdkVersion", ({ MSALPublicClientApplication.sdkVersion } as () -> String))
  }
}
