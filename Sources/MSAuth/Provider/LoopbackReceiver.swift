import MSAuthLoopback
package import MSAuthTransport

/// Whoever listens on a port of this computer, which any local user can take after a server has stopped.
package enum LoopbackReceiver {
  /// Throws if another local user would receive the token that is meant for this URL.
  package static func check(_ url: String) throws(AuthenticationError) {
    guard let url = try? WebURL(url, .request), !url.isSecure, url.isLoopback,
      let port = UInt16(exactly: url.effectivePort)
    else { return }
    let isIPv6 = url.host == "localhost" ? nil : url.host.hasPrefix("[")
    guard let user = PeerOwner.otherUserListening(on: port, isIPv6: isIPv6) else { return }
    throw AuthenticationError(
      .invalidConfiguration,
      "another local user (\(user)) listens at \(url.origin), so it gets no token",
      reason: "other_user_listening",
      hint: "start your own server there; if another program uses the port, choose a different one"
    )
  }
}

extension HTTPRequest {
  /// Throws if the request has secrets and another local user would receive them.
  package func checkReceiver() throws(AuthenticationError) {
    if authorization != nil || body != nil { try LoopbackReceiver.check(url) }
  }
}
