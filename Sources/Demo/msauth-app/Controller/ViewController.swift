import MSAL
import MSAuth
import MSAuthCore
import MSAuthTransport

/// The tutorial's controller, with MSAL's names.
///
/// Unlike the tutorial, it doesn't log the access token: the log is a web page.
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
  /// The identifier of the last account that this app signed out itself.
  var signedOutIdentifier: String?

  private let makeApplication: (ClientConfiguration) throws -> PublicClientApplication

  /// `making` lets a test use another browser.
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
    let registered = registration.configuration
    guard let authorityURL = URL(string: registered.authority.url) else {
      return updateLogging(text: "Unable to create authority URL")
    }
    let authority =
      switch registered.authority.kind {
      case .aad: try MSALAADAuthority(url: authorityURL)
      case .b2c: try MSALB2CAuthority(url: authorityURL)
      case .ciam: try MSALCIAMAuthority(url: authorityURL)
      case .adfs: try MSALADFSAuthority(url: authorityURL)
      case .oidc: try MSALAuthority(url: authorityURL)
      }
    let msalConfiguration = MSALPublicClientApplicationConfig(
      clientId: registered.clientID,
      redirectUri: registered.redirectURI,
      authority: authority
    )
    // MSAL's configuration lacks some of msauth's settings: use the registration's, and MSAL's logging.
    applicationContext = try MSALPublicClientApplication(configuration: msalConfiguration) { configuration in
      var complete = registered
      complete.log = configuration.log
      complete.logMasking = configuration.logMasking
      return try makeApplication(complete)
    }
    webViewParameters = MSALWebviewParameters()
  }

  /// The page came to the front, which corresponds to an application becoming active on Apple's systems.
  func appCameToForeground() {
    guard screen.activity == nil else { return }
    loadCurrentAccount()
  }
}

extension ViewController {
  func updateLogging(text: String) {
    screen.write(text, at: Date().unixTime)
  }
}

/// The message, the code and the recovery suggestion.
func description(of error: any Error) -> String {
  let error = error as NSError
  let hint = (error.localizedRecoverySuggestion).map { "\n\($0.printable())" } ?? ""
  let code = error.domain == MSALErrorDomain ? " (\(MSALErrorDomain) \(error.code))" : ""
  return error.localizedDescription.printable(limit: 1000) + code + hint
}
