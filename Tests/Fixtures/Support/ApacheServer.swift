import Glibc

/// Apache with `mod_auth_openidc`, a resource server for bearer tokens (RFC 6750).
package final class ApacheServer: Sendable {
  private let home: Home
  private let program: BackgroundProgram
  package let url: String
  /// A page that shows its user: `{"user":"…"}`.
  package var page: String { "\(url)/me" }

  /// Starts the server, with a `faketime -f` offset for its clock, and waits until it is ready.
  package init(_ directives: [String], clock: String? = nil) async throws {
    let (home, port) = (try Home(), try freePort())
    self.home = home
    url = "http://127.0.0.1:\(port)"
    try home.write(#"{"user":"<!--#echo var="REMOTE_USER" -->"}"#, to: "data/me")
    let values: KeyValuePairs = [
      "HOME": home.folder.path, "PORT": "\(port)", "DIRECTIVES": directives.joined(separator: "\n"),
    ]
    let configuration = try home.write(fixture: "apache.conf", values)
    var command = ["/usr/sbin/apache2", "-X", "-f", configuration]
    if let clock {
      // faketime's own process would not pass signals on.
      let script = #"exec env LD_PRELOAD="$(faketime -f +0 printenv LD_PRELOAD)" FAKETIME="$0" "$@""#
      command = ["/bin/sh", "-c", script, clock] + command
    }
    if geteuid() == 0 {
      // Apache doesn't run as root.
      let user: UInt32 = 65534
      for part in [".", "run", "data", "data/me", "apache.conf"] { chown(home.path(part), user, user) }
      command = ChildProcess.becoming(user) + command
    }
    program = try BackgroundProgram(command)
    let address = url
    do {
      _ = try await program.ready("Apache") { try? await HTTPClient.send("GET", address) }
    } catch {
      throw TestFailure("\(error)\n\(home.read("run/log") ?? "")")
    }
  }

  package func read(with token: String?) async throws -> HTTPClient.Response {
    try await HTTPClient.send("GET", page, headers: token.map { ["Authorization": "Bearer \($0)"] } ?? [:])
  }
}
