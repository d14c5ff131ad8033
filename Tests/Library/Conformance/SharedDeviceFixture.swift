@testable import DemoProvider
import MSAuthCrypto
import TestSupport

@testable import MSAuth

/// A user's home on a device declared as shared, and a provider.
struct SharedDeviceFixture: Sendable {
  let home: Home
  let provider: DemoProvider
  let browser = ScriptedBrowser()

  init(_ text: String = #"{"device_mode": "shared"}"#) async throws {
    home = try Home(in: Home.memory)
    provider = try await DemoProvider.start(DemoOptions(algorithm: .es256))
    try home.write(text, to: "device.json", mode: 0o644)
  }

  func configuration(_ clientID: String? = nil) throws -> ClientConfiguration {
    var configuration = ClientConfiguration(
      clientID: clientID ?? provider.clientID,
      authority: try Authority(provider.entraAuthority(), kind: .aad),
      environment: home.environment
    )
    configuration.deviceConfigurationFile = home.path("device.json")
    configuration.deviceAdministrator = geteuid()
    return configuration
  }

  func application(
    _ clientID: String? = nil,
    _ adjust: (inout ClientConfiguration) -> Void = { _ in }
  ) async throws -> PublicClientApplication {
    var configuration = try configuration(clientID)
    adjust(&configuration)
    return try await PublicClientApplication(configuration: configuration)
  }

  func signIn(
    _ user: String,
    to application: PublicClientApplication,
    _ adjust: (inout TokenParameters) -> Void = { _ in }
  ) async throws -> TokenResult {
    var parameters = TokenParameters(scopes: ["User.Read"])
    parameters.interaction?.browserUse = .report
    parameters.interaction?.onEvent = { [browser] event in
      if case .address(let address) = event { Task { try await browser.walk(from: address.absoluteString, as: user) } }
    }
    adjust(&parameters)
    return try await application.signIn(with: parameters)
  }

  func signOut(_ account: Account, of application: PublicClientApplication) async throws -> SignOutReport {
    var parameters = SignOutParameters()
    parameters.browserUse = .report
    parameters.onEvent = { [browser] event in
      if case .address(let address) = event { Task { try await browser.open(address.absoluteString) } }
    }
    return try await application.signOut(account, with: parameters)
  }

  /// The prompts of all recorded authorization requests, in order.
  var prompts: [String?] {
    get async { await provider.record.filter { $0["code_challenge"] != nil }.map { $0["prompt"] } }
  }
}
