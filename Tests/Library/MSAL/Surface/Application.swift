import MSAL

extension Surface {
  private typealias Application = MSALPublicClientApplication

  /// 1.1 MSALPublicClientApplication.
  static let application = Members<Application>(other: [
    "init(configuration:)": Application.init(configuration:), "init(clientId:)": Application.init(clientId:),
    "configuration": \Application.configuration,
    "allAccounts()": Application.allAccounts, "accounts(for:)": Application.accounts(for:),
    "account(forIdentifier:)": Application.account(forIdentifier:),
    "account(forUsername:)": Application.account(forUsername:),
    "accountsFromDevice(for:completionBlock:)": Application.accountsFromDevice(for:completionBlock:),
    "getCurrentAccount(with:completionBlock:)": Application.getCurrentAccount(with:completionBlock:),
    "acquireToken(with:completionBlock:)": Application.acquireToken(with:completionBlock:),
    "acquireTokenSilent(with:completionBlock:)": Application.acquireTokenSilent(with:completionBlock:),
    "remove(_:)": Application.remove,
    "signout(with:signoutParameters:completionBlock:)": Application.signout(with:signoutParameters:completionBlock:),
    "getDeviceInformation(with:completionBlock:)": Application.getDeviceInformation(with:completionBlock:),
    "handleMSALResponse(_:sourceApplication:)": Application.handleMSALResponse,
    "cancelCurrentWebAuthSession()": Application.cancelCurrentWebAuthSession,
    "isCompatibleAADBrokerAvailable": \Application.isCompatibleAADBrokerAvailable,
    "sdkVersion": Application.sdkVersion,
  ]).names
}
