internal import Glibc
internal import Synchronization
internal import Unix

/// The embedded listener that receives the redirect on this machine's loopback addresses (RFC 8252 §7.3).
///
/// It is bound before the browser opens, and its sockets stay open until it is closed: nobody can take over the port.
package final class LoopbackListener: Sendable {
  /// What is to be logged, mostly why a connection produced no request; it contains nothing that the peer sent.
  package enum Event: Sendable, Equatable {
    /// What was sent is not a request that may be answered.
    case refused(status: Int, reason: String)
    /// A browser started a TLS handshake, as it does when it prefers https.
    case tlsHandshake
    /// Another user of this machine connected.
    case foreignUser(UInt32)
    /// The peer's address is not 127.0.0.1 or ::1, or no process holds its socket.
    case unknownPeer
    /// The system could not accept a connection; the listener goes on.
    case acceptFailed
    /// The kernel does not answer questions about single sockets, so its tables are read for each connection.
    case readsSocketTable
    /// Neither that: connections of other users are not recognised.
    case cannotTellUsers
  }

  package let host: LoopbackHost
  package let port: UInt16
  package let peerOwner: PeerOwner
  let limits: Limits
  let sockets: [ListeningSocket]
  let mailbox: Mailbox
  private let state = Mutex(State.bound)

  private enum State { case bound, running, closed }

  /// Binds the loopback addresses of a redirect URI's host, to a port that browsers don't block if `port` is 0.
  ///
  /// Connections wait until ``run(onEvent:refusal:_:)``.
  package init(
    _ host: LoopbackHost,
    port: UInt16 = 0,
    limits: Limits = Limits(),
    peerOwner: PeerOwner
  ) throws(LoopbackError) {
    (self.host, self.peerOwner, self.limits) = (host, peerOwner, limits.fitting())
    do {
      mailbox = try Mailbox()
    } catch {
      throw LoopbackError(error, host: host, port: port)
    }
    sockets = try SocketBinder.bind(host, port: port, attempts: limits.maximumPortAttempts)
    self.port = sockets[0].port
  }

  deinit { close() }

  /// Serves connections concurrently until the task is cancelled or ``close()`` is called.
  ///
  /// A request whose `Host` is not one of this listener's names is refused with status 421: a page that rebinds its own
  /// name to 127.0.0.1 sends that name. A response that `respond` has returned is written even when the task is
  /// cancelled at that moment. `respond` is not cancelled when its browser disconnects, for a sign-in must not end
  /// because a tab was closed; it is when the task is.
  package func run(
    onEvent: @escaping @Sendable (Event) -> Void = { _ in },
    refusal: @escaping @Sendable (_ status: Int, LoopbackRequest?) -> LoopbackResponse? = { _, _ in nil },
    _ respond: @escaping @Sendable (LoopbackRequest) async -> LoopbackResponse
  ) async throws(LoopbackError) {
    try enter()
    defer { leave() }
    if let notice = peerOwner.notice { onEvent(notice) }
    let isStarted = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isStarted = BackgroundThread.start { [self] in
          var server = Server(listener: self, onEvent: onEvent, refusal: refusal, respond: respond)
          server.run()
          continuation.resume(returning: true)
        }
        if !isStarted { continuation.resume(returning: false) }
      }
    } onCancel: {
      mailbox.post(.cancel)
    }
    guard isStarted else { throw LoopbackError(SocketFailure(number: EAGAIN), host: host, port: port) }
  }

  /// Refuses new connections at once and frees the port; a running ``run(onEvent:refusal:_:)`` returns.
  package func close() {
    state.withLock { state in
      switch state {
      case .bound:
        for socket in sockets { socket.close() }
        state = .closed
      case .running:
        mailbox.post(.close)
        // The descriptors are in use by the thread that accepts; they are closed when it has stopped.
        for socket in sockets { socket.shutDown() }
      case .closed: break
      }
    }
  }

  private func enter() throws(LoopbackError) {
    let isBound = state.withLock { state in
      defer { if state == .bound { state = .running } }
      return state == .bound
    }
    guard isBound else {
      throw LoopbackError(.notListening, port: port, message: "the listener on port \(port) is closed or runs already")
    }
  }

  private func leave() {
    state.withLock { state in
      for socket in sockets { socket.close() }
      state = .closed
    }
  }
}

extension LoopbackListener.Event: CustomStringConvertible {
  package var description: String {
    switch self {
    case .refused(let status, let reason): "answered with status \(status): \(reason)"
    case .tlsHandshake: "a TLS handshake on an http port"
    case .foreignUser(let user): "a connection of another user, with the ID \(user)"
    case .unknownPeer: "a connection from another address, or of a socket that no process holds"
    case .acceptFailed: "the system could not accept a connection"
    case .readsSocketTable: "the kernel answers no sock_diag question; users are looked up in /proc/net/tcp"
    case .cannotTellUsers: "the kernel does not say which user connects; connections of other users are not recognised"
    }
  }

  /// Whether it is about the listener, and not about one connection.
  package var isAboutListener: Bool {
    switch self {
    case .readsSocketTable, .cannotTellUsers: true
    case .refused, .tlsHandshake, .foreignUser, .unknownPeer, .acceptFailed: false
    }
  }
}

/// The host of the redirect URI, hence the addresses to listen on.
package enum LoopbackHost: Sendable, Equatable, CaseIterable {
  /// 127.0.0.1, which RFC 8252 §7.3 and §8.3 prefer.
  case ipv4
  /// ::1.
  case ipv6
  /// `localhost`: 127.0.0.1 and ::1 on one port, for a browser may try either first.
  case localhost

  /// The host as a URI spells it.
  package var uriHost: String {
    switch self {
    case .ipv4: "127.0.0.1"
    case .ipv6: "[::1]"
    case .localhost: "localhost"
    }
  }

  /// The `Host` header values, in lower case, that mean a listener on this host.
  func headerValues(port: UInt16) -> Set<String> {
    // A person who pastes the address may replace one name of this machine with another.
    let hosts =
      switch self {
      case .ipv4: ["127.0.0.1", "localhost"]
      case .ipv6: ["[::1]", "localhost"]
      case .localhost: ["localhost", "127.0.0.1", "[::1]"]
      }
    // RFC 9110 §7.2: the port is omitted when it is the scheme's default.
    return Set(hosts.flatMap { port == 80 ? [$0, "\($0):80"] : ["\($0):\(port)"] })
  }
}
