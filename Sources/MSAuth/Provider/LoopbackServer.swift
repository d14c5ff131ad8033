import MSAuthLoopback
import MSAuthTransport

/// Checks who owns a server on this computer before it gets a token: any local user can take a stopped server's port.
package enum LoopbackServer {
  /// Throws if another local user would receive the token that is meant for this URL.
  package static func checkOwner(at url: String) throws(AuthenticationError) {
    guard let url = try? WebURL(url, .request), !url.isSecure, url.isLoopback,
      let port = UInt16(exactly: url.effectivePort)
    else { return }
    guard let user = PeerCheck.otherUserListening(at: url.host, port) else { return }
    let message = "another local user (\(user)) listens at \(url.origin), so it gets no token"
    let hint: Hint = "start your own server there; if another program uses the port, choose a different one"
    throw AuthenticationError(.invalidConfiguration, message, reason: "other_user_listening", hint: hint)
  }
}
