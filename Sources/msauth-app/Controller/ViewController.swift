import Foundation
import MSAL
import MSAuth
import Core
import Transport

/// The tutorial's controller: it answers the buttons of the screen, over the names of MSAL.
///
/// Where the tutorial puts the access token into the log, this says only that there is one: the log is a web page.
@MainActor
final class ViewController {
  let screen: Screen
  let registration: Registration
  let transport: any HTTPTransport

  var accessToken = Secret("")
  var applicationContext: MSALPublicClientApplication?
  var webViewParameters: MSALWebviewParameters?
  var currentAccount: MSALAccount?
  var currentDeviceMode = MSALDeviceMode.default
  /// The last account that this app itself signed out.
  var signedOut: String?

  private let making: (Configuration) throws -> PublicClientApplication

  /// Makes a controller; ``viewDidLoad()`` brings it to life.
  ///
  /// - Parameters:
  ///   - screen: What it shows things on.
  ///   - registration: How the application is known.
  ///   - transport: The way to Microsoft Graph.
  ///   - making: Makes the library's application, so that a test can give it another browser.
  init(
    screen: Screen,
    registration: Registration,
    transport: any HTTPTransport,
    making: @escaping (Configuration) throws -> PublicClientApplication = MSALPublicClientApplication.makeApplication
  ) {
    self.screen = screen
    self.registration = registration
    self.transport = transport
    self.making = making
  }

  func viewDidLoad() {
    updateCurrentAccount(account: nil)
    do {
      try initMSAL()
    } catch {
      updateLogging(text: "Unable to create Application Context: \(words(of: error))")
    }
    loadCurrentAccount()
    refreshDeviceMode()
  }

  func initMSAL() throws {
    let record = registration.configuration
    guard let authorityURL = URL(string: record.authority.url) else {
      updateLogging(text: "Unable to create authority URL")
      return
    }
    let authority =
      switch record.authority.kind {
      case .aad: try MSALAADAuthority(url: authorityURL)
      case .b2c: try MSALB2CAuthority(url: authorityURL)
      case .ciam: try MSALCIAMAuthority(url: authorityURL)
      case .adfs: try MSALADFSAuthority(url: authorityURL)
      case .oidc: try MSALAuthority(url: authorityURL)
      }
    let msalConfiguration = MSALPublicClientApplicationConfig(
      clientId: record.clientID,
      redirectUri: record.redirectURI,
      authority: authority
    )
    // What a person may have configured for msauth and MSAL has no words for.
    applicationContext = try MSALPublicClientApplication(configuration: msalConfiguration) { configuration in
      var configuration = configuration
      configuration.environment = record.environment
      configuration.store = record.store
      configuration.browser = record.browser
      configuration.clientSecret = record.clientSecret
      configuration.deviceConfigurationFile = record.deviceConfigurationFile
      configuration.deviceAdministrator = record.deviceAdministrator
      return try making(configuration)
    }
    initWebViewParams()
  }

  func initWebViewParams() {
    webViewParameters = MSALWebviewParameters()
  }

  /// The page came to the front, where on Apple's systems the application would.
  func appCameToForeground() {
    guard screen.activity == nil else { return }
    loadCurrentAccount()
  }
}
