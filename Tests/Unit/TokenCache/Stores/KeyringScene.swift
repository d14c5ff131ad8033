import Foundation
import Glibc

/// A home, a runtime folder and a session bus of a test's own.
struct KeyringScene: Sendable {
  let scene: Scene

  init() throws {
    scene = try Scene()
    for name in ["home", "run", "state"] { mkdir(scene.folder + "/" + name, 0o700) }
  }

  var state: String { scene.folder + "/state" }

  /// The folder of the programs that stand in for others.
  static let tests = #filePath.replacing("/Unit/TokenCache/Stores/KeyringScene.swift", with: "/Fixtures")

  static let unlocked = "printf pw | gnome-keyring-daemon --unlock --components=secrets --daemonize >/dev/null 2>&1\n"
  static let locked = "gnome-keyring-daemon --start --components=secrets >/dev/null 2>&1\n"

  /// Answers every prompt of GNOME Keyring alike: `dismiss`, `ignore` or a password; `prompts` prints how many came.
  static func prompter(_ answer: String) -> String {
    """
    /usr/bin/python3 "$TESTS/keyring-prompter.py" \(answer) >"$STATE.prompts" 2>&1 &
    await org.gnome.keyring.SystemPrompter

    """
  }

  /// A Secret Service that does what it is told, in the words of `scripted-keyring.py`.
  static func scripted(_ script: String) -> String {
    "/usr/bin/python3 \"$TESTS/scripted-keyring.py\" '\(script)' >/dev/null 2>&1 &\n"
  }

  /// Runs shell commands in a session of its own; `$DRIVER` is the driver.
  ///
  /// - Parameters:
  ///   - service: What to start first.
  ///   - commands: What to run then; `ask COMMAND [prompt|quiet [own|shared|SCHEMA]]` asks the driver, `keeper` prints the keyring's process.
  /// - Throws: `Child.NotStarted`.
  /// - Returns: The lines that they print.
  func session(_ service: String, _ commands: String) async throws -> [String] {
    // A keyring outlives its bus, and so would hold whatever it was given as output open for ever.
    let script = """
      ask() { "$DRIVER" keyring "$1" "$STATE" "${2:-quiet}" "${3:-own}"; }
      bus() {
        gdbus call --session --dest org.freedesktop.DBus --object-path / --method "org.freedesktop.DBus.$1" "$2"
      }
      keeper() { bus GetConnectionUnixProcessID "${1:-org.freedesktop.secrets}" | sed 's/.* //; s/,.*//'; }
      prompts() { grep -c required "$STATE.prompts"; }
      end() { kill $(keeper); }
      await() { for try in $(seq 200); do bus NameHasOwner "$1" | grep -q true && break; sleep 0.05; done; }
      trap end EXIT
      \(service)
      \(service.isEmpty ? "" : "await org.freedesktop.secrets")
      \(commands)
      """
    let quiet = "dbus-run-session -- sh -c \"$1\" >\"$2\" 2>\"$2.err\"; cat \"$2\""
    return try await run(["sh", "-c", quiet, "sh", script, scene.folder + "/output"])
  }

  /// Runs commands where there is no bus.
  func withoutBus(_ command: String) async throws -> [String] {
    try await run([Child.driver, "keyring", command, state, "quiet", "own"])
  }

  private func run(_ arguments: [String]) async throws -> [String] {
    let environment = [
      "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
      "HOME": scene.folder + "/home",
      "XDG_RUNTIME_DIR": scene.folder + "/run",
      "XDG_DATA_HOME": scene.folder + "/home",
      "LC_ALL": "C",
      "DRIVER": Child.driver,
      "STATE": state,
      "TESTS": Self.tests,
    ]
    let result = try await Child.run(arguments[0], Array(arguments.dropFirst()), environment: environment)
    return result.output.split(separator: "\n").map(String.init)
  }
}
