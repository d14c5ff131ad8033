/// A session bus for one test.
package final class SessionBus: Sendable {
  private let daemon: BackgroundProgram
  private let home: Home
  private let address: String

  /// The environment of programs that use it.
  package var environment: [String: String] { ["DBUS_SESSION_BUS_ADDRESS": address] }

  package init(for home: Home, environment: [String: String] = [:]) async throws {
    let daemon = try BackgroundProgram(
      // The socket is a file of this home.
      ["dbus-daemon", "--session", "--nofork", "--print-address=1", "--address=unix:dir=\(home.path("run"))"],
      environment: home.environment.merging(environment) { $1 }
    )
    address = try await daemon.ready("dbus-daemon") { daemon.stdout.split(separator: "\n").first.map(String.init) }
    self.daemon = daemon
    self.home = home
  }

  /// Starts a desktop portal, which logs its calls: `Tests/Fixtures/desktop-portal.py`.
  package func portal(_ arguments: String...) async throws -> BackgroundProgram {
    try await BackgroundProgram(readying: "desktop-portal.py", arguments, home.environment.merging(environment) { $1 })
  }

  /// Starts an identity broker, which logs its calls; `script` is JSON, as `Tests/Fixtures/fake-broker.py` describes it.
  package func broker(_ script: String = "{}") async throws -> BackgroundProgram {
    try await BackgroundProgram(readying: "fake-broker.py", [script], home.environment.merging(environment) { $1 })
  }
}
