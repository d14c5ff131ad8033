import Foundation
import MSAL

/// The parts that the tutorial for external tenants omits: constants, screen and start.
class ExternalTenantScreen: NSViewController {
  enum Configuration {
    static let kScopes = ["User.Read"]
  }

  typealias AccountCompletion = (MSALAccount?) -> Void

  var accessToken = ""
  var applicationContext: MSALPublicClientApplication?
  var webViewParameters: MSALWebviewParameters?
  var currentAccount: MSALAccount?
  var currentDeviceMode: MSALDeviceMode?
  private let loggingText = NSTextView()
  private let signOutButton = NSButton("sign out button")

  override func viewDidLoad() {
    do {
      guard let authorityURL = URL(string: kAuthority) else { return }
      let authority = try MSALAADAuthority(url: authorityURL)
      let configuration = MSALPublicClientApplicationConfig(
        clientId: kClientID,
        redirectUri: nil,
        authority: authority
      )
      applicationContext = try MSALPublicClientApplication(configuration: configuration)
      webViewParameters = MSALWebviewParameters()
    } catch {
      updateLogging(text: "Unable to create Application Context \(error)")
    }
    applicationContext?.getDeviceInformation(with: nil) { deviceInformation, _ in
      self.currentDeviceMode = deviceInformation?.deviceMode
    }
  }

  func updateLogging(text: String) {
    DispatchQueue.main.async { self.loggingText.string = text }
  }

  func updateSignOutButton(enabled: Bool) {
    DispatchQueue.main.async { self.signOutButton.isEnabled = enabled }
  }

  func updateCurrentAccount(account: MSALAccount?) {
    currentAccount = account
    let claims = account?.accountClaims
    let preferredUsername = claims?["preferred_username"] as? String
    show("preferred username", preferredUsername ?? "none")
  }

  private let kClientID = "Your_Application_Id_Here"
  private let kAuthority = "https://login.microsoftonline.com/common"
}
