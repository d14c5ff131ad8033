import DemoProvider
import MSAuthCrypto
import MSAuthTransport
import TestSupport
import Testing

@testable import MSAL
@testable import MSAuth
@testable import msauth_app

// Serialized: MSAL has one interactive session per process.
@Suite("the tutorial's controller", .serialized, .limitedConcurrencyFirst)
@MainActor
struct ControllerTests {
  @Test("without an account, there is nothing to sign out of")
  func first() async throws {
    let fixture = try await ControllerFixture()
    #expect(fixture.screen.username == "Signed out")
    #expect(!fixture.screen.canSignOut)
    fixture.controller.signOut()
    try await fixture.quiet()
    #expect(fixture.log.isEmpty)
  }

  @Test("the application has every setting that it shares with msauth")
  func sharedSettings() async throws {
    let home = try Home()
    try home.write(
      """
      {"client_id": "11111111-2222-3333-4444-555555555555", "client_capabilities": "CP1", "dpop": true,
       "account_mode": "SINGLE", "shared_device_mode_supported": true, "store": "file"}
      """,
      to: "config/msauth/config.json"
    )
    var environment = home.environment
    environment["MSAUTH_AUTHORITY"] = "https://login.microsoftonline.us/common"
    environment["MSAUTH_AUTHORITY_TYPE"] = "aad"
    let registration = try await Registration(environment: environment)
    #expect(registration.graphEndpoint == "https://graph.microsoft.us", "the Graph of the authority's cloud")
    let controller = ViewController(
      screen: Screen(),
      registration: registration,
      transport: CurlTransport(environment: environment)
    )
    try controller.initMSAL()
    let configuration = try #require(controller.applicationContext?.application.configuration)
    #expect(configuration.clientCapabilities == ["CP1"])
    #expect(configuration.usesDPoP)
    #expect(configuration.accountMode == registration.configuration.accountMode)
    #expect(configuration.accountMode != ClientConfiguration(clientID: "x", environment: [:]).accountMode)
    #expect(configuration.supportsSharedDevice)
    #expect(configuration.log != nil)
  }

  @Test("a sign-in can be canceled, and a second button press doesn't start another")
  func cancelled() async throws {
    let fixture = try await ControllerFixture()
    fixture.controller.callGraphAPI()
    _ = try await eventually("the sign-in") { fixture.screen.activity?.canBeCancelled == true ? true : nil }
    fixture.controller.callGraphAPI()
    fixture.controller.cancelSignIn()
    try await fixture.entry("Could not acquire token")
    try await fixture.quiet()
    #expect(fixture.log.count == 1)
  }

  @Test("a revoked refresh token opens the browser again")
  func interactionRequired() async throws {
    // Longer than a token's lifetime, so that each silent call refreshes.
    let fixture = try await ControllerFixture(expirationBuffer: .seconds(86_400))
    try await fixture.signIn()
    let news = fixture.log.count
    await fixture.provider.set(faults: [.refreshBadToken])
    fixture.controller.callGraphAPI()
    try await fixture.walk()
    _ = try await eventually("a second result") { fixture.log.count >= news + 2 ? true : nil }
    #expect(fixture.log.last?.hasPrefix("Result from Graph") == true)
    #expect(await fixture.provider.record.filter { $0.path.hasSuffix("/authorize") && $0.method == "GET" }.count == 2)
  }

  @Test("signing out clears label and store, and a reload reports nothing before or after it")
  func signOut() async throws {
    let fixture = try await ControllerFixture()
    try await fixture.signIn()
    let log = fixture.log
    await fixture.reload()
    #expect(fixture.log == log)
    fixture.controller.signOut()
    try await fixture.entry("Sign out completed successfully")
    #expect(fixture.screen.username == "Signed out")
    #expect(!fixture.screen.canSignOut)
    #expect(fixture.controller.accessToken.isEmpty)
    #expect(try await fixture.otherApp().accounts().isEmpty)
    let before = fixture.log
    await fixture.reload()
    #expect(fixture.log == before)
  }

  @Test(
    "an account signed out by another app is reported by name, once, even if that app read the store first",
    arguments: [false, true]
  )
  func signedOutElsewhere(isReadFirst: Bool) async throws {
    let fixture = try await ControllerFixture()
    try await fixture.signIn()
    let other = try await fixture.otherApp()
    _ = try await other.signOut(#require(try await other.accounts().first))
    if isReadFirst { _ = try await other.currentAccount() }
    fixture.controller.appCameToForeground()
    try await fixture.entry("The account with username ada@contoso.example has been signed out by another app.")
    #expect(fixture.screen.username == "Signed out")
    let before = fixture.log
    await fixture.reload()
    #expect(fixture.log == before)
  }

  @Test("an unknown device mode is reported, and sign-in is disabled")
  func noDevice() async throws {
    let fixture = try await ControllerFixture(deviceMode: "nonsense")
    #expect(try await fixture.entry("Unable to create Application Context: ").contains("device.json"))
    fixture.controller.callGraphAPI()
    #expect(fixture.screen.activity == nil)
  }

  @Test("an unreachable Graph is reported, and ends the call")
  func noGraph() async throws {
    let fixture = try await ControllerFixture(graph: "http://127.0.0.1:1")
    fixture.controller.callGraphAPI()
    try await fixture.walk()
    try await fixture.entry("Couldn't get graph result: ")
    try await fixture.quiet()
  }
}

extension ControllerFixture {
  /// Reloads the account, and waits for the result.
  func reload() async {
    await withCheckedContinuation { continuation in
      controller.loadCurrentAccount { _ in continuation.resume() }
    }
  }
}

/// The controller over the real library, a provider, and a scripted browser.
@MainActor
struct ControllerFixture {
  let home: Home
  let provider: DemoProvider
  let walker = ScriptedBrowser()
  let controller: ViewController

  var screen: Screen { controller.screen }
  var log: [String] { screen.log.entries.map(\.text) }

  init(deviceMode: String = "private", graph: String? = nil, expirationBuffer: Duration? = nil) async throws {
    home = try Home()
    provider = try await DemoProvider.start(DemoOptions(algorithm: .es256))
    let browser = try home.writeBrowser(to: "run/address")
    var environment = home.environment
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

  /// Waits for a log entry with a prefix.
  @discardableResult
  func entry(_ beginning: String) async throws -> String {
    do {
      return try await eventually("a log entry “\(beginning)”") { log.last { $0.hasPrefix(beginning) } }
    } catch {
      throw TestFailure("\(error); the log is \(log)")
    }
  }

  /// Waits until no activity is running.
  func quiet() async throws {
    _ = try await eventually("an end of the activity") { screen.activity == nil ? true : nil }
  }

  /// Waits for the next opened URL, and completes the provider's pages.
  func walk() async throws {
    let address = try await eventually("an address for the browser") {
      // Another test may use the process's only interactive session.
      if screen.activity == nil, log.last?.contains("another sign-in waits") == true { controller.callGraphAPI() }
      return home.read("run/address").flatMap { $0.hasSuffix("\n") ? String($0.dropLast()) : nil }
    }
    try FileManager.default.removeItem(atPath: home.path("run/address"))
    do {
      _ = try await walker.walk(from: address, as: "ada")
    } catch {
      // The next test would wait for this sign-in.
      controller.cancelSignIn()
      throw error
    }
  }

  func signIn() async throws {
    controller.callGraphAPI()
    try await walk()
    try await entry("Result from Graph")
    try await quiet()
  }

  /// Another app with the same client ID and the same accounts.
  func otherApp() async throws -> PublicClientApplication {
    try await PublicClientApplication(configuration: controller.registration.configuration)
  }
}
