import Glibc

/// A local OpenSSH server for another user; if the tests don't run as root, for this user with another home.
package final class SSHServer: Sendable {
  /// The home of the remote user.
  package let home: Home
  package let destination = "remote"
  package let userID: UInt32
  private let client: Home
  private let program: BackgroundProgram

  /// The key that `ssh` uses.
  package var key: String { client.path("key") }
  /// The command lines of all running `ssh` clients.
  package var clients: [String] {
    let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return processes.filter { $0.allSatisfy(\.isNumber) }
      .compactMap { FileManager.default.contents(atPath: "/proc/\($0)/cmdline") }
      .map { String(decoding: $0, as: UTF8.self).replacing("\0", with: " ") }
      .filter { $0.contains(client.path("ssh_config")) || $0.contains(client.path("bin/ssh")) }
  }

  /// A directory with a configured `ssh`, for `PATH`.
  package var programs: String { client.path("bin") }
  package var environment: [String: String] { ["PATH": "\(programs):/usr/bin:/bin"] }

  /// Starts the server, with `msauth` on its `PATH`, and waits until it is ready.
  package init(_ options: String = "", passphrase: String = "") async throws {
    let (home, client, port) = (try Home(), try Home(), try freePort())
    (self.home, self.client) = (home, client)
    let isRoot = geteuid() == 0
    userID = isRoot ? 12_003 : geteuid()
    for (key, passphrase) in [("host", ""), ("key", passphrase)] {
      let make = ["ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-f", client.path(key)]
      try await ChildProcess.output(of: make)
    }
    try home.write(client.read("key.pub") ?? "", to: "authorized_keys")
    try FileManager.default.createDirectory(atPath: home.path("bin"), withIntermediateDirectories: false)
    try FileManager.default.copyItem(atPath: BuiltProducts.msauth, toPath: home.path("bin/msauth"))
    var environment = home.environment
    environment["PATH"] = "\(home.path("bin")):/usr/bin:/bin"
    let variables = environment.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
    let values: KeyValuePairs = [
      "HOME": home.folder.path, "CLIENT": client.folder.path, "PORT": "\(port)", "ENVIRONMENT": variables,
      "OPTIONS": options,
    ]
    let configuration = try client.write(fixture: "sshd_config", values)
    let serve = ["/usr/sbin/sshd", "-D", "-e", "-f", configuration]
    let path = ["PATH": "/usr/sbin:/usr/bin:/bin"]
    let name: String
    if isRoot {
      name = "msauth-remote"
      let accounts = [
        ("passwd", "\(name):x:\(userID):\(userID)::\(home.path("home")):/bin/sh"), ("group", "\(name):x:\(userID):"),
        ("shadow", "\(name):*:19000:0:99999:7:::"),
      ]
      for (file, line) in accounts {
        let present = try String(contentsOfFile: "/etc/\(file)", encoding: .utf8)
        try client.write(present + line + "\n", to: file, mode: file == "shadow" ? 0o640 : 0o644)
      }
      for part in [""] + (try FileManager.default.subpathsOfDirectory(atPath: home.folder.path)) {
        chown(home.path(part), userID, userID)
      }
      let view = try await MountNamespace.running(
        """
        for file in passwd group shadow; do mount --bind "$1/$file" "/etc/$file" || exit 1; done
        mount -t tmpfs none /run && mkdir /run/sshd && shift && exec "$@"
        """
      )
      program = try BackgroundProgram(view + [client.folder.path] + serve, environment: path)
    } else {
      guard let entry = getpwuid(userID) else { throw TestFailure("the user \(userID) has no name") }
      name = String(cString: entry.pointee.pw_name)
      program = try BackgroundProgram(serve, environment: path)
    }
    try client.write("[127.0.0.1]:\(port) \(client.read("host.pub") ?? "")", to: "known_hosts")
    let settings = try client.write(
      fixture: "ssh_config",
      ["PORT": "\(port)", "USER": name, "CLIENT": client.folder.path]
    )
    // ssh finds the user's settings only by the password database.
    try client.script(#"exec /usr/bin/ssh -F \#(settings) "$@""#, to: "bin/ssh")
    _ = try await program.ready("sshd") { try? TCPConnection(port: port).receive() }
  }

  package var log: String { program.stderr }
}
