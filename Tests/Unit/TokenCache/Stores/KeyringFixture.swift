import TestSupport
import Testing

/// A home and a session bus.
struct KeyringFixture: Sendable {
  let home: Home

  init() throws {
    try ChildProcess.require("dbus-run-session", "gdbus", "gnome-keyring-daemon", "python3")
    home = try Home()
  }

  var state: String { home.path("state") }

  /// What the driver's `save` adds to the cache, and what `load` prints after it.
  static let saved = #""msauth":{"clients":{"c":{"signed_out":{"account":"ada@contoso.com"}}}}"#
  static let loaded = "ok {\(saved)}"

  /// The directory of the scripts that act as a keyring or a user.
  static let tests = BuiltProducts.root.path + "/Tests/Fixtures"

  static let unlocked = "printf pw | gnome-keyring-daemon --unlock --components=secrets --daemonize >/dev/null 2>&1\n"
  static let locked = "gnome-keyring-daemon --start --components=secrets >/dev/null 2>&1\n"

  /// Answers every prompt alike: `dismiss`, `ignore` or a password; `prompts` prints their count.
  static func prompter(_ answer: String) -> String {
    """
    /usr/bin/python3 "$TESTS/keyring-prompter.py" \(answer) >"$STATE.prompts" 2>&1 &
    wait_for org.gnome.keyring.SystemPrompter

    """
  }

  /// A Secret Service with a script of `scripted-keyring.py`.
  static func scripted(_ script: String) -> String {
    "/usr/bin/python3 \"$TESTS/scripted-keyring.py\" '\(script)' >/dev/null 2>&1 &\n"
  }

  /// Runs shell commands in the session after starting a service, and returns their output lines.
  ///
  /// `run COMMAND [prompt|quiet [own|shared|SCHEMA]]` runs the driver (`$DRIVER`); `service_pid` prints its process ID.
  func session(_ service: String, _ commands: String) async throws -> [String] {
    // A keyring outlives its bus, and would keep an inherited output open.
    let script = """
      run() { "$DRIVER" keyring "$1" "$STATE" "${2:-quiet}" "${3:-own}"; }
      bus() {
        gdbus call --session --dest org.freedesktop.DBus --object-path / --method "org.freedesktop.DBus.$1" "$2"
      }
      service_pid() { bus GetConnectionUnixProcessID org.freedesktop.secrets | sed 's/.* //; s/,.*//'; }
      prompts() { grep -c required "$STATE.prompts"; }
      end() { kill $(service_pid); }
      wait_for() {
        for try in $(seq 1200); do if bus NameHasOwner "$1" | grep -q true; then return; fi; sleep 0.05; done
        echo "$1 didn't start"
        exit 70
      }
      # "--start" would find the daemon of an earlier session there, which may still be ending.
      export XDG_RUNTIME_DIR=$(mktemp --directory --tmpdir="$XDG_RUNTIME_DIR")
      trap end EXIT
      \(service)
      \(service.isEmpty ? "" : "wait_for org.freedesktop.secrets")
      \(commands)
      """
    let quiet = "dbus-run-session -- sh -c \"$1\" >\"$2\" 2>\"$2.err\"; cat \"$2\""
    return try await run(["sh", "-c", quiet, "sh", script, home.path("output")])
  }

  /// Runs commands in a session, and checks their output lines; `…` stands for any end of a line.
  func session(
    _ service: String,
    _ commands: String,
    prints expected: [String],
    at location: SourceLocation = #_sourceLocation
  ) async throws {
    let lines = try await session(service, commands)
    let areExpected = zip(lines, expected).allSatisfy { line, expected in
      expected.hasSuffix("…") ? line.hasPrefix(expected.dropLast()) : line == expected
    }
    #expect(areExpected && lines.count == expected.count, "\(lines)", sourceLocation: location)
  }

  /// Runs commands without a bus.
  func withoutBus(_ command: String) async throws -> [String] {
    try await run([BuiltProducts.tokenCacheDriver, "keyring", command, state, "quiet", "own"])
  }

  private func run(_ arguments: [String]) async throws -> [String] {
    let own = ["LC_ALL": "C", "DRIVER": try BuiltProducts.tokenCacheDriver, "STATE": state, "TESTS": Self.tests]
    let child = try ChildProcess(arguments, environment: home.environment.merging(own) { $1 })
    _ = try await child.end(by: .after(180))
    return child.stdout.split(separator: "\n").map(String.init)
  }
}
