import Glibc
package import MSAuthCore
import MSAuthUnix
import Synchronization

/// Receives requests on this machine's loopback addresses, such as the redirect (RFC 8252 §7.3), or on one other address.
///
/// Its sockets stay open from before the browser opens until it is closed, so no other program can take over the port.
package final class LoopbackListener: Sendable {
  /// Something to log, mostly why a connection produced no request; it contains nothing that the peer sent.
  package enum Event: Sendable, Equatable {
    case rejected(status: Int, reason: String)
    /// A browser that prefers https started a TLS handshake.
    case tlsHandshake
    case foreignUser(UInt32)
    /// The peer's address is not 127.0.0.1 or ::1, or no process holds its socket.
    case unknownPeer
    /// The system could not accept a connection; the listener continues.
    case acceptFailed
    /// The kernel can't be queried for single sockets, so its tables are read for each connection.
    case readsSocketTable
    /// The tables can't be read either, so connections of other users aren't recognized.
    case cannotIdentifyUsers
  }

  /// As in a URL.
  package let uriHost: String
  package let port: UInt16
  /// The `Host` header values, in lowercase, of requests that are for this listener.
  let hosts: Set<String>
  package let peerCheck: PeerCheck
  let limits: ListenerLimits
  let sockets: [ListeningSocket]
  let queue: WakeupQueue
  private let state = Mutex(State.bound)

  private enum State { case bound, running, closed }

  /// Binds the loopback addresses of a redirect URI's host, with port 0 on a port that browsers don't block; connections
  /// wait until ``run(onEvent:rejection:_:)``.
  package init(
    _ host: LoopbackHost,
    port: UInt16 = 0,
    limits: ListenerLimits = ListenerLimits(),
    peerCheck: PeerCheck
  ) throws(AuthenticationError) {
    (uriHost, self.peerCheck, self.limits) = (host.uriHost, peerCheck, limits.fitting())
    guard let queue = WakeupQueue() else { throw .notListening(errno, on: host.uriHost, port: port) }
    self.queue = queue
    sockets = try SocketBinder.bind(host, port: port)
    self.port = sockets[0].port
    // A redirect to another spelling of the host isn't for this redirect URI (RFC 9700 §4.1.3).
    hosts = Self.headerValues(of: [uriHost], port: self.port)
  }

  /// Binds one numeric address that other computers or containers may reach; it admits all peers, and requests may name
  /// the address or one of `names` as their host.
  package init(address: String, names: [String] = [], port: UInt16 = 0) throws(AuthenticationError) {
    let isIPv4 = !address.utf8.contains(UInt8(ascii: ":"))
    (uriHost, peerCheck, limits) = (isIPv4 ? address : "[\(address)]", .anyPeer, ListenerLimits().fitting())
    guard let queue = WakeupQueue(),
      let socket = ListeningSocket(isIPv4 ? .ipv4 : .ipv6, host: address, port: port)
    else { throw .notListening(errno, on: uriHost, port: port) }
    self.queue = queue
    (sockets, self.port) = ([socket], socket.port)
    hosts = Self.headerValues(of: [uriHost] + names, port: socket.port)
  }

  /// The `Host` header values of requests to these names; the scheme's default port may be omitted (RFC 9110 §7.2).
  static func headerValues(of names: [String], port: UInt16) -> Set<String> {
    Set(names.map { "\($0):\(port)" } + (port == 80 ? names : []))
  }

  deinit { close() }

  /// Serves connections concurrently until the task is canceled or ``close()`` is called; `rejection` replaces the plain
  /// text of a rejected request, which is `nil` if it was never read.
  ///
  /// A foreign `Host` is rejected with status 421, since a page can rebind its own name to 127.0.0.1. A response that
  /// `respond` has returned is written even if the task is canceled. A browser that disconnects doesn't cancel `respond`:
  /// a closed tab must not end a sign-in.
  package func run(
    onEvent: @escaping @Sendable (Event) -> Void = { _ in },
    rejection: @escaping @Sendable (_ status: Int, LoopbackRequest?) -> LoopbackResponse? = { _, _ in nil },
    _ respond: @escaping @Sendable (LoopbackRequest) async -> LoopbackResponse
  ) async throws(AuthenticationError) {
    let wasBound = state.withLock { state in
      defer { if state == .bound { state = .running } }
      return state == .bound
    }
    guard wasBound else {
      throw AuthenticationError(.listenerFailed, "the listener is closed or already running", reason: "not_listening")
    }
    defer {
      state.withLock { state in
        for socket in sockets { socket.close() }
        state = .closed
      }
    }
    if let notice = peerCheck.notice { onEvent(notice) }
    let isStarted = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isStarted = BackgroundThread.start {
          var eventLoop = EventLoop(listener: self, onEvent: onEvent, rejection: rejection, respond: respond)
          eventLoop.run()
          continuation.resume(returning: true)
        }
        if !isStarted { continuation.resume(returning: false) }
      }
    } onCancel: {
      queue.post { $0.close(canceling: true) }
    }
    guard isStarted else { throw .notListening(EAGAIN, on: uriHost, port: port) }
  }

  /// Rejects new connections at once and frees the port; a running ``run(onEvent:rejection:_:)`` returns.
  package func close() {
    state.withLock { state in
      switch state {
      case .bound:
        for socket in sockets { socket.close() }
        state = .closed
      case .running:
        queue.post { $0.close(canceling: false) }
        // The event loop's thread uses the descriptors; they are closed when it has stopped.
        for socket in sockets { socket.shutDown() }
      case .closed: break
      }
    }
  }
}

extension LoopbackListener.Event: CustomStringConvertible {
  package var description: String {
    switch self {
    case .rejected(let status, let reason): "a request rejected with status \(status): \(reason)"
    case .tlsHandshake: "a TLS handshake on an http port"
    case .foreignUser(let user): "a connection by another user, with the ID \(user)"
    case .unknownPeer: "a connection from another address, or from a socket that no process holds"
    case .acceptFailed: "the system couldn't accept a connection"
    case .readsSocketTable: "sock_diag isn't available; users are looked up in /proc/net/tcp"
    case .cannotIdentifyUsers: "the kernel doesn't list socket owners; connections by other users aren't recognized"
    }
  }

  /// Whether it concerns the listener rather than one connection.
  package var isAboutListener: Bool { [.readsSocketTable, .cannotIdentifyUsers].contains(self) }
}

/// The host of the redirect URI, which determines the addresses to listen on.
package enum LoopbackHost: Sendable, Equatable, CaseIterable {
  /// 127.0.0.1, preferred by RFC 8252 §7.3 and §8.3.
  case ipv4
  case ipv6
  /// 127.0.0.1 and ::1 on one port, since a browser may try either first.
  case localhost

  /// The host with this numeric address, in its normal form.
  package init?(address: String) {
    switch address {
    case "127.0.0.1": self = .ipv4
    case "::1": self = .ipv6
    default: return nil
    }
  }

  package var uriHost: String {
    switch self {
    case .ipv4: "127.0.0.1"
    case .ipv6: "[::1]"
    case .localhost: "localhost"
    }
  }
}
