import Glibc

/// Dovecot, a mail server for XOAUTH2 and OAUTHBEARER, which sends tokens to the provider's userinfo endpoint.
package final class DovecotServer: Sendable {
  private let home: Home
  private let program: BackgroundProgram
  /// The IMAP port on 127.0.0.1.
  package let port: UInt16

  /// Starts the server and waits until it is ready.
  package init(userinfo: String) async throws {
    let (home, port) = (try Home(), try freePort())
    // Dovecot doesn't store mail for root.
    let user: UInt32 = geteuid() == 0 ? 65534 : geteuid()
    guard let entry = getpwuid(user), let group = getgrgid(entry.pointee.pw_gid) else {
      throw TestFailure("the user \(user) has no name")
    }
    let (userName, groupID) = (String(cString: entry.pointee.pw_name), entry.pointee.pw_gid)
    let groupName = String(cString: group.pointee.gr_name)
    let introspection = "introspection_url = \(userinfo)\nintrospection_mode = auth\nusername_attribute = email\n"
    try home.write(introspection, to: "oauth2.conf")
    let values: KeyValuePairs = [
      "HOME": home.folder.path, "USER": userName, "GROUP": groupName, "PORT": "\(port)", "UID": "\(user)",
      "GID": "\(groupID)",
    ]
    let configuration = try home.write(fixture: "dovecot.conf", values)
    var command = ["/usr/sbin/dovecot", "-F", "-c", configuration]
    if geteuid() == 0 {
      for part in [".", "run", "state", "home", "oauth2.conf", "dovecot.conf"] { chown(home.path(part), user, groupID) }
      command = ChildProcess.becoming(user, group: groupID) + command
    }
    program = try BackgroundProgram(command)
    (self.home, self.port) = (home, port)
    _ = try await program.ready("Dovecot") { try? TCPConnection(port: port).receive() }
  }
}
