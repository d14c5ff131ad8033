/// A session bus of a test's own.
package final class SessionBus: Sendable {
  private let daemon: BackgroundProgram
  private let home: Home
  private let address: String

  /// What a program needs in its environment to reach it.
  package var environment: [String: String] { ["DBUS_SESSION_BUS_ADDRESS": address] }

  /// Starts the bus.
  ///
  /// - Parameters:
  ///   - home: Whose session it is.
  ///   - environment: More of the environment of what the bus starts.
  /// - Throws: ``TestFailure`` when it does not serve.
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

  /// Starts a part of the desktop's portal: `Tests/Fixtures/desktop-portal.py`.
  ///
  /// - Parameter arguments: Its role, and its answer.
  /// - Returns: The program; its output is `ready`, then a line for each call.
  /// - Throws: ``TestFailure`` when it does not serve.
  package func portal(_ arguments: String...) async throws -> BackgroundProgram {
    let script = BuiltProducts.fixture("desktop-portal.py")
    let portal = try BackgroundProgram(
      ["/usr/bin/python3", script] + arguments,
      environment: home.environment.merging(environment) { $1 }
    )
    _ = try await portal.ready("the portal") { portal.stdout.contains("ready") ? true : nil }
    return portal
  }
}
