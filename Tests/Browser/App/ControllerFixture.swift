import DemoProvider
import MSAuthCrypto
import MSAuthTransport
import TestSupport
import Testing

@testable import MSAuth
@testable import msauth_app

/// The controller over the real library, a provider, and a browser that is a script: it writes the address down, and a
/// walker goes there.
@MainActor
struct ControllerFixture {
  let home: Home
  /// Where the session's own folder is; a shared device wants it in memory.
  private let session: Home
  let provider: DemoProvider
  let walker = ScriptedBrowser()
  let controller: ViewController

  var screen: Screen { controller.screen }
  var log: [String] { screen.log.entries.map(\.text) }

  init(deviceMode: String = "private", graph: String? = nil, expirationBuffer: Duration? = nil) async throws {
    home = try Home()
    session = try Home(in: Home.memory)
    provider = try await DemoProvider.start(DemoOptions(algorithm: .es256))
    let browser = try home.write(
      "#!/bin/sh\nprintf '%s\\n' \"$1\" > \"\(home.path("run/address"))\"\n",
      to: "data/browser",
      mode: 0o700
    )
    var environment = home.environment
    environment["XDG_RUNTIME_DIR"] = session.path("run")
    environment["MSAUTH_AUTHORITY"] = provider.entraAuthority()
    environment["MSAUTH_AUTHORITY_TYPE"] = "aad"
    environment["MSAUTH_CLIENT_ID"] = provider.clientID
    environment["MSAUTH_STORE"] = "file"
    environment["MSAUTH_GRAPH_ENDPOINT"] = graph ?? provider.graphURL
    var registration = try await Registration(environment: environment)
    registration.configuration.browser = browser
    if let expirationBuffer { registration.configuration.tokenExpirationBuffer = expirationBuffer }
    let device = try home.write(#"{"device_mode": "\#(deviceMode)"}"#, to: "config/device.json")
    registration.configuration.deviceConfigurationFile = device
    registration.configuration.deviceAdministrator = geteuid()
    controller = ViewController(
      screen: Screen(),
      registration: registration,
      transport: CurlTransport(environment: environment)
    )
    controller.viewDidLoad()
  }

  /// Waits until the log has an entry that begins so.
  @discardableResult
  func entry(_ beginning: String) async throws -> String {
    do {
      return try await eventually("a log entry “\(beginning)”") { log.last { $0.hasPrefix(beginning) } }
    } catch {
      throw TestFailure("\(error); the log is \(log)")
    }
  }

  /// Waits until nothing is under way.
  func quiet() async throws {
    _ = try await eventually("an end of the activity") { screen.activity == nil ? true : nil }
  }

  /// Waits for the next address that is opened, and goes through the provider's pages there.
  func walk(as person: String = "ada", accepts: Bool = true) async throws {
    let address = try await eventually("an address for the browser") {
      // MSAL has one conversation with the browser in a process, and tests of its own may have it.
      if screen.activity == nil, log.last?.contains("another sign-in waits") == true { controller.callGraphAPI() }
      return home.read("run/address").flatMap { $0.hasSuffix("\n") ? String($0.dropLast()) : nil }
    }
    try FileManager.default.removeItem(atPath: home.path("run/address"))
    do {
      _ = try await walker.walk(from: address, as: person, accepts: accepts)
    } catch {
      // The next test would wait for the end of this sign-in.
      controller.cancelSignIn()
      throw error
    }
  }

  /// Calls Graph and signs in for it.
  func signIn(as person: String = "ada") async throws {
    controller.callGraphAPI()
    try await walk(as: person)
    try await entry("Result from Graph")
    try await quiet()
  }

  /// The same person's accounts, as another app with the same client id has them.
  func otherApp() async throws -> PublicClientApplication {
    try await PublicClientApplication(configuration: controller.registration.configuration)
  }
}
