internal import FlyingSocks
internal import Synchronization

/// The embedded listener that receives the redirect on this machine's loopback addresses (RFC 8252 §7.3).
///
/// It is bound before the browser opens, and the sockets are kept until it is closed: nobody can take the port over.
package final class LoopbackListener: Sendable {
  package let host: Host
  package let port: UInt16
  /// The `Host` header values of requests that mean this listener, in lower case.
  package let allowedHosts: Set<String>

  /// How a request for another host is refused.
  let foreignHostStatus: Int
  let limits: Limits
  let peerOwner: PeerOwner
  let sockets: [ListeningSocket]
  private let state = Mutex(State.bound)

  private enum State { case bound, running, closing, closed }

  private init(
    _ host: Host,
    _ sockets: [ListeningSocket],
    port: UInt16,
    foreignHostStatus: Int,
    limits: Limits,
    peerOwner: PeerOwner
  ) {
    self.host = host
    self.foreignHostStatus = foreignHostStatus
    self.port = port
    self.allowedHosts = host.headerValues(port: port)
    self.limits = limits
    self.peerOwner = peerOwner
    self.sockets = sockets
  }

  deinit { close() }

  /// Binds the loopback addresses of a redirect URI's host.
  ///
  /// - Parameters:
  ///   - host: The redirect URI's host.
  ///   - port: Its port; 0 lets the system choose one that browsers visit.
  ///   - foreignHostStatus: How a request for another host is refused: 421 says to try elsewhere (RFC 9110 §15.5.20),
  ///     403 that it is not allowed.
  ///   - limits: The bounds to keep.
  ///   - peerOwner: Who tells to which user a connection's other end belongs.
  /// - Returns: A listener whose connections wait until it runs.
  /// - Throws: `LoopbackError` that names the port.
  package static func bind(
    _ host: Host,
    port: UInt16 = 0,
    foreignHostStatus: Int = 421,
    limits: Limits = Limits(),
    peerOwner: PeerOwner = .processTable
  ) throws(LoopbackError) -> LoopbackListener {
    let sockets = try Binding.sockets(host, port: port, limits: limits)
    return LoopbackListener(
      host,
      sockets,
      port: sockets.first?.port ?? port,
      foreignHostStatus: foreignHostStatus,
      limits: limits,
      peerOwner: peerOwner
    )
  }

  /// Serves connections, many at once, until the task is cancelled or ``close()`` is called.
  ///
  /// A response that `respond` has returned is written even when the task is cancelled at that moment. `respond` is not
  /// cancelled when its browser goes away, for a sign-in must not end because a tab was closed; it is when the task is.
  ///
  /// - Parameters:
  ///   - notice: Told what was refused before it became a request, for a log.
  ///   - respond: Answers one request, of which it may hold many at once; it may take as long as it needs.
  /// - Throws: `LoopbackError` when it is closed or runs already, or the system has no descriptors for it.
  package func run(
    notice: @escaping @Sendable (ConnectionNotice) -> Void = { _ in },
    _ respond: @escaping @Sendable (LoopbackRequest) async -> LoopbackResponse
  ) async throws(LoopbackError) {
    let pool = SocketPool(queue: ReadinessQueue())
    try enter()
    defer { leave() }
    do { try await pool.prepare() } catch { throw LoopbackError(BindFailure(error), host: host, port: port) }
    let table = ConnectionTable(limits: limits)
    let service = Service(listener: self, pool: pool, table: table, notice: notice, respond: respond)
    await withDiscardingTaskGroup { group in
      group.addTask { try? await pool.run() }
      await withDiscardingTaskGroup { accepting in
        for socket in sockets {
          accepting.addTask { await service.accept(on: socket) }
        }
      }
      group.cancelAll()
    }
  }

  /// Refuses new connections at once and gives the port back; a running ``run(notice:_:)`` returns.
  package func close() {
    state.withLock { state in
      switch state {
      case .bound:
        for socket in sockets { socket.close() }
        state = .closed
      case .running:
        // The descriptors are in use by the task that accepts; it closes them when it has let go of them.
        for socket in sockets { socket.shut() }
        state = .closing
      case .closing, .closed: break
      }
    }
  }

  /// Whether new connections are still wanted.
  var isOpen: Bool { state.withLock { $0 == .running } }

  private func enter() throws(LoopbackError) {
    let entered = state.withLock { state in
      guard state == .bound else { return false }
      state = .running
      return true
    }
    guard entered else {
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
