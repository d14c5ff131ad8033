public import FoundationEssentials
public import MSAuth

extension FakeClientApplication {
  /// A call that was made, with its arguments.
  public enum Call: Sendable {
    /// An interactive call.
    case acquireToken(InteractiveTokenParameters)
    /// A call with a device code.
    case acquireTokenWithDeviceCode(DeviceCodeParameters)
    /// A silent call.
    case acquireTokenSilent(SilentTokenParameters)
    /// A call that lists or finds accounts.
    case accounts
    /// A call of `currentAccount()`.
    case currentAccount
    /// A call of `setCurrentAccount(_:)`.
    case setCurrentAccount(Account)
    /// A call of `sessionStatus(of:)`.
    case sessionStatus(Account)
    /// A sign-out.
    case signOut(Account, SignOutParameters)
    /// A call of `removeAccount(_:)`.
    case removeAccount(Account)
    /// A call of `discardAccessToken(_:)`, with the token.
    case discardAccessToken(String)
    /// A call of `deviceInformation()`.
    case deviceInformation
    /// A request to a resource.
    case get(url: URL, token: TokenResult)

    /// The call's name, such as `acquireTokenSilent`.
    public var name: String {
      switch self {
      case .acquireToken: "acquireToken"
      case .acquireTokenWithDeviceCode: "acquireTokenWithDeviceCode"
      case .acquireTokenSilent: "acquireTokenSilent"
      case .accounts: "accounts"
      case .currentAccount: "currentAccount"
      case .setCurrentAccount: "setCurrentAccount"
      case .sessionStatus: "sessionStatus"
      case .signOut: "signOut"
      case .removeAccount: "removeAccount"
      case .discardAccessToken: "discardAccessToken"
      case .deviceInformation: "deviceInformation"
      case .get: "get"
      }
    }
  }
}
