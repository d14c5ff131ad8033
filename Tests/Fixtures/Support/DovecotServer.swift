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
    try home.write(
      """
      introspection_url = \(userinfo)
      introspection_mode = auth
      username_attribute = email

      """,
      to: "oauth2.conf"
    )
    let configuration = try home.write(
      """
      base_dir = \(home.path("run"))
      state_dir = \(home.path("state"))
      log_path = /dev/stderr
      ssl = no
      disable_plaintext_auth = no
      auth_failure_delay = 0
      default_internal_user = \(userName)
      default_internal_group = \(groupName)
      default_login_user = \(userName)
      first_valid_uid = 1
      protocols = imap
      mail_location = maildir:\(home.path("home"))/%u
      auth_mechanisms = xoauth2 oauthbearer
      service imap-login {
        chroot =
        inet_listener imap {
          address = 127.0.0.1
          port = \(port)
        }
        inet_listener imaps {
          port = 0
        }
      }
      service anvil {
        chroot =
      }
      passdb {
        driver = oauth2
        mechanisms = xoauth2 oauthbearer
        args = \(home.path("oauth2.conf"))
      }
      userdb {
        driver = static
        args = uid=\(user) gid=\(groupID) home=\(home.path("home"))/%u
      }

      """,
      to: "dovecot.conf"
    )
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
