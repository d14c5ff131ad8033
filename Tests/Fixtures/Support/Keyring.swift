/// GNOME Keyring on a session bus of its own, with nobody there to answer its prompts unless a test asks for it.
package final class Keyring: Sendable {
  private let bus: SessionBus
  private let daemon: BackgroundProgram
  private let home: Home

  /// What a program needs in its environment to reach the keyring.
  package var environment: [String: String] { bus.environment }
  /// What unlocks its login collection.
  package static let password = "password"

  /// Starts the bus and the keyring, with an unlocked login collection.
  ///
  /// - Parameter home: Where the keyring keeps its files.
  /// - Throws: ``TestFailure`` when they do not serve.
  package init(for home: Home) async throws {
    let bus = try await SessionBus(for: home)
    // It leaves when the bus does.
    daemon = try BackgroundProgram(
      [
        "/bin/sh", "-c", #"exec gnome-keyring-daemon --unlock --foreground --components=secrets < "$1""#, "sh",
        home.write(Self.password, to: "keyring-password"),
      ],
      environment: home.environment.merging(bus.environment) { $1 }
    )
    self.bus = bus
    self.home = home
    _ = try await daemon.ready("gnome-keyring-daemon") {
      let reply = try await call(
        "org.freedesktop.DBus",
        "/org/freedesktop/DBus",
        "org.freedesktop.DBus.NameHasOwner",
        "string:org.freedesktop.secrets"
      )
      return reply.contains("boolean true") ? true : nil
    }
  }

  /// Locks the login collection.
  package func lock() async throws {
    let reply = try await call(
      "org.freedesktop.secrets",
      "/org/freedesktop/secrets",
      "org.freedesktop.Secret.Service.Lock",
      "array:objpath:/org/freedesktop/secrets/collection/login"
    )
    guard reply.contains("/org/freedesktop/secrets/collection/login") else {
      throw TestFailure("the keyring was not locked: \(reply)")
    }
  }

  /// Answers every prompt alike, until the answerer is let go.
  ///
  /// - Parameter answer: `dismiss`, or a password.
  /// - Returns: Who answers; its output is one line `ready`, then one for each prompt.
  /// - Throws: ``TestFailure`` when it cannot.
  package func answeringPrompts(with answer: String) async throws -> BackgroundProgram {
    let script = BuiltProducts.fixture("keyring-prompter.py")
    let prompter = try BackgroundProgram(
      ["/usr/bin/python3", script, answer],
      environment: home.environment.merging(environment) { $1 }
    )
    _ = try await prompter.ready("the prompter") { prompter.stdout.contains("ready") ? true : nil }
    return prompter
  }

  /// Whether the keyring's process has not ended.
  package var isRunning: Bool { daemon.isRunning }

  /// Sends the keyring's process a signal.
  package func signal(_ number: Int32) { daemon.signal(number) }

  /// Writes down what the keyring is asked, as long as the result lives; its output has one `method call` for each.
  package func watchingCalls() async throws -> BackgroundProgram {
    let monitor = try BackgroundProgram(
      ["/usr/bin/dbus-monitor", "--session", "destination=org.freedesktop.secrets"],
      environment: home.environment.merging(environment) { $1 }
    )
    _ = try await monitor.ready("dbus-monitor") { monitor.stdout.contains("NameAcquired") ? true : nil }
    return monitor
  }

  /// How many items the login collection holds.
  package func itemCount() async throws -> Int { try await items().count }

  /// Removes all items of the login collection.
  package func removeItems() async throws {
    for item in try await items() {
      _ = try await call("org.freedesktop.secrets", item, "org.freedesktop.Secret.Item.Delete")
    }
  }

  /// The paths of the items of the login collection.
  private func items() async throws -> [String] {
    let reply = try await call(
      "org.freedesktop.secrets",
      "/org/freedesktop/secrets/collection/login",
      "org.freedesktop.DBus.Properties.Get",
      "string:org.freedesktop.Secret.Collection",
      "string:Items"
    )
    return reply.split(separator: "\"").filter { $0.hasPrefix("/org/freedesktop/secrets/collection/login/") }
      .map(String.init)
  }

  private func call(_ destination: String, _ path: String, _ method: String, _ arguments: String...) async throws
    -> String
  {
    let child = try ChildProcess(
      ["/usr/bin/dbus-send", "--session", "--print-reply", "--dest=\(destination)", path, method] + arguments,
      environment: home.environment.merging(environment) { $1 }
    )
    guard try await child.end() == .exited(0) else { throw TestFailure("dbus-send \(method): \(child.stderr)") }
    return child.stdout
  }
}
