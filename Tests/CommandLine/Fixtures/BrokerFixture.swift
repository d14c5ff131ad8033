import TestSupport

/// `msauth` with a work account, offline, and a scripted broker on a private bus.
struct BrokerFixture: CommandFixture {
  static let tenant = "11111111-2222-3333-4444-555555555555"
  static let clientID = "00000000-1111-2222-3333-444444444444"

  var runner: CommandRunner
  private let bus: SessionBus
  /// The running broker, which logs its calls.
  private(set) var broker: BackgroundProgram?
  var authority: [String] = []

  /// With a broker that follows a script; without one, none is started.
  init(_ script: String? = "{}", variables: [String: String] = [:]) async throws {
    try ChildProcess.require("dbus-daemon", "python3")
    runner = CommandRunner(home: try Home())
    bus = try await SessionBus(for: runner.home)
    // Nothing listens there.
    let offline = ["https_proxy": "http://127.0.0.1:9", "NO_PROXY": "127.0.0.1"]
    runner.environment = bus.environment.merging(offline) { $1 }.merging(variables) { $1 }
    if let script { try await restart(script) }
  }

  /// Replaces the broker.
  mutating func restart(_ script: String = "{}") async throws {
    try await broker?.stop()
    broker = try await bus.broker(script)
  }

  var identity: [String] { ["--client-id", Self.clientID, "--store", "file"] + authority }

  /// The broker's calls since it started.
  var calls: [JSONValue] { broker?.calls ?? [] }
  var methods: [String] { broker?.methods ?? [] }

  func cache() throws -> JSONValue { try JSONValue(parsing: (home.read(Home.cacheFile) ?? "").utf8) }

  func expireAccessTokens() throws { try home.expireAccessTokens() }
}

extension BackgroundProgram {
  /// The broker's calls since it started.
  var calls: [JSONValue] {
    stdout.split(separator: "\n").dropFirst().compactMap { try? JSONValue(parsing: $0.utf8) }
  }

  var methods: [String] { calls.compactMap { $0["method"]?.string } }
}
