import Foundation
import MSAL
import MSAuth
import Core
import Transport

/// The tutorial's controller: it handles the buttons, with MSAL's names.
///
/// Where the tutorial logs the access token, this logs only that there is one: the log is a web page.
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

  private let makeApplication: (ClientConfiguration) throws -> PublicClientApplication

  /// Makes a controller; ``viewDidLoad()`` starts it.
  ///
  /// - Parameters:
  ///   - screen: The screen.
  ///   - registration: The application's registration.
  ///   - transport: Sends requests to Microsoft Graph.
  ///   - making: Makes the library's application; a test may use another browser.
  init(
    screen: Screen,
    registration: Registration,
    transport: any HTTPTransport,
    making: @escaping (ClientConfiguration) throws -> PublicClientApplication = MSALPublicClientApplication
      .makeApplication
  ) {
    self.screen = screen
    self.registration = registration
    self.transport = transport
    makeApplication = making
  }

  func viewDidLoad() {
    updateCurrentAccount(account: nil)
    do {
      try initMSAL()
    } catch {
      updateLogging(text: "Unable to create Application Context: \(description(of: error))")
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
    // MSAL's configuration has fewer settings than msauth's: take all of the registration's, and MSAL's logging.
    applicationContext = try MSALPublicClientApplication(configuration: msalConfiguration) { configuration in
      var complete = record
      complete.log = configuration.log
      complete.logMasking = configuration.logMasking
      return try makeApplication(complete)
    }
    initWebViewParams()
  }

  func initWebViewParams() {
    webViewParameters = MSALWebviewParameters()
  }

  /// The page came to the front, as the application would on Apple's systems.
  func appCameToForeground() {
    guard screen.activity == nil else { return }
    loadCurrentAccount()
  }
}

extension ViewController {
  /// Adds an entry to the log below the buttons.
  func updateLogging(text: String) {
    screen.write(text, at: UnixTime(Date().timeIntervalSince1970))
  }
}

/// An error for people: the message, the code and the recovery suggestion.
func description(of error: any Error) -> String {
  let error = error as NSError
  let hint = (error.localizedRecoverySuggestion).map { "\n\($0.printable())" } ?? ""
  let code = error.domain == MSALErrorDomain ? " (\(MSALErrorDomain) \(error.code))" : ""
  return error.localizedDescription.printable(limit: 1000) + code + hint
}
