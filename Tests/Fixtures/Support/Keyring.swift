/// GNOME Keyring on its own session bus, without a prompter unless a test starts one.
package final class Keyring: Sendable {
  private let bus: SessionBus
  private let daemon: BackgroundProgram
  private let home: Home

  /// The environment of programs that use the keyring.
  package var environment: [String: String] { bus.environment }
  /// The password of the login collection.
  package static let password = "password"

  /// Starts the bus and the keyring, with an unlocked login collection.
  package init(for home: Home) async throws {
    let bus = try await SessionBus(for: home)
    // It ends with the bus.
    daemon = try BackgroundProgram(
      [
        "/bin/sh", "-c", #"exec gnome-keyring-daemon --unlock --foreground --components=secrets < "$1""#, "sh",
        home.write(Self.password, to: "keyring-password"),
      ],
      environment: home.environment.merging(bus.environment) { $1 }
    )
    self.bus = bus
    self.home = home
    try await daemon.ready("gnome-keyring-daemon") {
      let name = "string:org.freedesktop.secrets"
      let reply = try await call("/org/freedesktop/DBus", "org.freedesktop.DBus.NameHasOwner", name)
      return reply.contains("boolean true")
    }
  }

  private static let collection = "/org/freedesktop/secrets/collection/login"

  package func lock() async throws {
    let method = "org.freedesktop.Secret.Service.Lock"
    let reply = try await call("/org/freedesktop/secrets", method, "array:objpath:\(Self.collection)")
    guard reply.contains(Self.collection) else { throw TestFailure("the keyring was not locked: \(reply)") }
  }

  /// Responds to every prompt in the same way while the result lives.
  package func answeringPrompts(with answer: String) async throws -> BackgroundProgram {
    try await BackgroundProgram(readying: "keyring-prompter.py", [answer], home.environment.merging(environment) { $1 })
  }

  package var isRunning: Bool { daemon.isRunning }

  package func signal(_ number: Int32) { daemon.signal(number) }

  /// Logs the keyring's calls while the result lives, as `method call` lines.
  package func watchingCalls() async throws -> BackgroundProgram {
    let monitor = try BackgroundProgram(
      ["/usr/bin/dbus-monitor", "--session", "destination=org.freedesktop.secrets"],
      environment: home.environment.merging(environment) { $1 }
    )
    try await monitor.ready("dbus-monitor") { monitor.stdout.contains("NameAcquired") }
    return monitor
  }

  package func itemCount() async throws -> Int { try await items().count }

  package func removeItems() async throws {
    for item in try await items() { _ = try await call(item, "org.freedesktop.Secret.Item.Delete") }
  }

  /// The item paths of the login collection.
  private func items() async throws -> [String] {
    let interface = "string:org.freedesktop.Secret.Collection"
    let reply = try await call(Self.collection, "org.freedesktop.DBus.Properties.Get", interface, "string:Items")
    return reply.split(separator: "\"").filter { $0.hasPrefix(Self.collection + "/") }.map(String.init)
  }

  private func call(_ path: String, _ method: String, _ arguments: String...) async throws -> String {
    let destination = path == "/org/freedesktop/DBus" ? "org.freedesktop.DBus" : "org.freedesktop.secrets"
    return try await ChildProcess.output(
      of: ["/usr/bin/dbus-send", "--session", "--print-reply", "--dest=\(destination)", path, method] + arguments,
      environment: home.environment.merging(environment) { $1 }
    )
  }
}
