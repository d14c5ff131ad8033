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

  static let unlocked = "printf pw | gnome-keyring-daemon --unlock --components=secrets --daemonize >/dev/null 2>&1\n"
  static let locked = "gnome-keyring-daemon --start --components=secrets >/dev/null 2>&1\n"

  /// Owns the Secret Service's name on the bus, and never answers: a D-Bus client of the fewest bytes.
  static let mute = """
    python3 -c '
    import os, socket, struct, sys
    def field(code, kind, text):
        return struct.pack("<BB", code, 1) + kind + bytes(1) + struct.pack("<I", len(text)) + text + bytes(1)
    def call(serial, member, signature, body):
        bus = b"org.freedesktop.DBus"
        fields = b""
        for part in field(1, b"o", b"/org/freedesktop/DBus"), field(2, b"s", bus), field(3, b"s", member), \\
                field(6, b"s", bus), struct.pack("<BB", 8, 1) + b"g" + bytes([0, len(signature)]) + signature + bytes(1):
            fields += bytes(-len(fields) % 8) + part
        head = b"l" + bytes([1, 0, 1]) + struct.pack("<III", len(body), serial, len(fields)) + fields
        return head + bytes(-len(head) % 8) + body
    address = os.environ["DBUS_SESSION_BUS_ADDRESS"].split(",")[0].split("path=")[1]
    bus = socket.socket(socket.AF_UNIX)
    bus.connect(address)
    bus.sendall(bytes(1) + b"AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\\r\\n")
    assert bus.recv(4096).startswith(b"OK")
    bus.sendall(b"BEGIN\\r\\n" + call(1, b"Hello", b"", b""))
    name = b"org.freedesktop.secrets"
    body = struct.pack("<I", len(name)) + name + bytes(1)
    body += bytes(-len(body) % 4) + struct.pack("<I", 4)
    bus.sendall(call(2, b"RequestName", b"su", body))
    while bus.recv(4096):
        pass
    ' &

    """

  /// Runs shell commands in a session of its own; `$DRIVER` is the driver.
  ///
  /// - Parameters:
  ///   - service: What to start first.
  ///   - commands: What to run then; a function `ask COMMAND [prompt]` asks the driver.
  /// - Throws: `Child.NotStarted`.
  /// - Returns: The lines that they print.
  func session(_ service: String, _ commands: String) async throws -> [String] {
    // A keyring outlives its bus, and so would hold whatever it was given as output open for ever.
    let script = """
      ask() { "$DRIVER" keyring "$1" "$STATE" "${2:-quiet}"; }
      end() {
        kill $(gdbus call --session --dest org.freedesktop.DBus --object-path / \\
          --method org.freedesktop.DBus.GetConnectionUnixProcessID org.freedesktop.secrets | sed 's/.* //; s/,.*//')
      }
      named() {
        gdbus call --session --dest org.freedesktop.DBus --object-path / \\
          --method org.freedesktop.DBus.NameHasOwner org.freedesktop.secrets | grep -q true
      }
      trap end EXIT
      \(service)
      for try in $(seq \(service.isEmpty ? 0 : 200)); do named && break; sleep 0.05; done
      \(commands)
      """
    let quiet = "dbus-run-session -- sh -c \"$1\" >\"$2\" 2>\"$2.err\"; cat \"$2\""
    return try await run(["sh", "-c", quiet, "sh", script, scene.folder + "/output"])
  }

  /// Runs commands where there is no bus.
  func withoutBus(_ command: String) async throws -> [String] {
    try await run([Child.driver, "keyring", command, state, "quiet"])
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
    ]
    let result = try await Child.run(arguments[0], Array(arguments.dropFirst()), environment: environment)
    return result.output.split(separator: "\n").map(String.init)
  }
}
