import DemoProvider
import MSAuthCrypto
import TestSupport

@testable import MSAuth

/// A person's home on a device that an administrator declared as shared, and a provider.
struct SharedDeviceFixture: Sendable {
  let home: Home
  let provider: DemoProvider
  let walker = ScriptedBrowser()

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

  func application(_ clientID: String? = nil) async throws -> PublicClientApplication {
    try await PublicClientApplication(configuration: configuration(clientID))
  }

  func signIn(
    _ person: String,
    to application: PublicClientApplication,
    _ adjust: (inout TokenParameters) -> Void = { _ in }
  ) async throws -> TokenResult {
    var parameters = TokenParameters(scopes: ["User.Read"])
    parameters.interaction?.opensBrowser = false
    parameters.interaction?.onEvent = { [walker] event in
      if case .address(let address) = event { Task { try await walker.walk(from: address.absoluteString, as: person) } }
    }
    adjust(&parameters)
    return try await application.acquireToken(with: parameters)
  }

  func signOut(_ account: Account, of application: PublicClientApplication) async throws -> SignOutReport {
    var parameters = SignOutParameters()
    parameters.opensBrowser = false
    parameters.onEvent = { [walker] event in
      if case .address(let address) = event { Task { try await walker.open(address.absoluteString) } }
    }
    return try await application.signOut(account, with: parameters)
  }

  /// The prompts of the authorization requests since the record began.
  func prompts() async -> [String?] {
    await provider.record.filter { $0["code_challenge"] != nil }.map { $0["prompt"] }
  }
}

/// `msauth` in a mount namespace of its own, whose `/etc/msauth` is ours.
struct SharedDeviceCommandFixture {
  let home: Home
  let provider: DemoProvider
  let identity: [String]
  private let enter: [String]

  init() async throws {
    home = try Home(in: Home.memory)
    provider = try await DemoProvider.start(DemoOptions(algorithm: .es256))
    identity = [
      "--authority", provider.entraAuthority(), "--authority-type", "aad", "--client-id", provider.clientID,
    ]
    try home.write(#"{"device_mode": "shared"}"#, to: "etc/msauth/device.json", mode: 0o644)
    enter = try await MountNamespace.running(#"mount --bind "$1/etc" /etc && shift && exec "$@""#)
  }

  func start(_ arguments: [String]) throws -> ChildProcess {
    try ChildProcess(
      enter + [home.folder.path, try BuiltProducts.msauth] + arguments,
      environment: home.environment
    )
  }

  func run(_ arguments: String...) async throws -> CommandRunner.Outcome { try await run(arguments) }

  func run(_ arguments: [String]) async throws -> CommandRunner.Outcome {
    try await CommandRunner(home: home).outcome(of: start(arguments))
  }
}
