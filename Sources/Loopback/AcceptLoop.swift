internal import FlyingSocks
internal import FoundationEssentials
internal import Glibc

/// Accepts connections until the listener closes, even when single ones fail.
struct AcceptLoop: Sendable {
  let limits: Limits
  let limiter: ConnectionLimiter
  /// The `Host` header values that mean this listener.
  let hosts: Set<String>
  let onEvent: @Sendable (LoopbackListener.Event) -> Void
  let respond: @Sendable (LoopbackRequest) async -> LoopbackResponse
  private let refusal: @Sendable (_ status: Int, LoopbackRequest?) -> LoopbackResponse?
  private let listener: LoopbackListener
  private let pool: SocketPool<ReadinessQueue>

  init(
    listener: LoopbackListener,
    pool: SocketPool<ReadinessQueue>,
    onEvent: @escaping @Sendable (LoopbackListener.Event) -> Void,
    refusal: @escaping @Sendable (_ status: Int, LoopbackRequest?) -> LoopbackResponse?,
    respond: @escaping @Sendable (LoopbackRequest) async -> LoopbackResponse
  ) {
    self.listener = listener
    self.pool = pool
    self.onEvent = onEvent
    self.refusal = refusal
    self.respond = respond
    self.limits = listener.limits
    self.limiter = ConnectionLimiter(limits: listener.limits)
    self.hosts = listener.host.headerValues(port: listener.port)
  }

  /// Serves one of the listener's sockets.
  func run(on listening: ListeningSocket) async {
    guard let acceptor = try? AsyncSocket(socket: listening.socket, pool: pool) else { return }
    var refused = RefusedConnections(limits: limits, response: foreignUser)
    defer { refused.closeAll() }
    await withDiscardingTaskGroup { connections in
      while !Task.isCancelled, listener.isOpen {
        do {
          let socket = try await acceptor.accept()
          _ = fcntl(socket.socket.file.rawValue, F_SETFD, FD_CLOEXEC)
          let decision = immediateDecision(on: socket.socket)
          if case .refused(let event) = decision {
            onEvent(event)
            refused.refuse(socket.socket)
            continue
          }
          guard await admit(socket) else { continue }
          connections.addTask { await serve(socket, isAdmitted: decision == .admitted) }
        } catch {
          guard !Task.isCancelled, listener.isOpen else { break }
          // EMFILE, ENFILE, ECONNABORTED, EINTR, ENOBUFS: all of them are temporary.
          onEvent(.acceptFailed)
          limiter.endOldestIdle()
          try? await Task.sleep(for: limits.acceptRetryDelay)
        }
      }
      limiter.endAllIdle()
    }
  }

  /// Whether the connection may be served; otherwise it is closed.
  private func admit(_ socket: AsyncSocket) async -> Bool {
    if await limiter.admit(socket.socket) { return true }
    if !Task.isCancelled {
      onEvent(.refused(status: 503, reason: "too many connections wait for an answer"))
      _ = try? socket.socket.write(.init(refuse(503, "Try again in a moment.").serialized()))
    }
    try? socket.close()
    return false
  }

  private func serve(_ socket: AsyncSocket, isAdmitted: Bool) async {
    await Connection(socket: socket, loop: self, isAdmitted: isAdmitted).serve()
    limiter.remove(socket.socket)
    try? socket.close()
  }

  /// The response to what is not answered by ``respond``.
  func refuse(_ status: Int, _ text: String, _ request: LoopbackRequest? = nil) -> LoopbackResponse {
    refusal(status, request) ?? .refusal(status, text)
  }

  /// What another user gets.
  var foreignUser: LoopbackResponse { refuse(403, "This sign-in belongs to another user of this computer.") }

  private func immediateDecision(on socket: Socket) -> PeerOwner.Decision? {
    listener.peerOwner.immediateDecision(
      on: LoopbackAddress(try? socket.remotePeer()),
      connectedTo: LoopbackAddress(try? socket.sockname())
    )
  }

  /// Whether a connection may be served, where that is not known at once.
  func decision(on socket: Socket) async -> PeerOwner.Decision {
    await listener.peerOwner.decision(
      on: LoopbackAddress(try? socket.remotePeer()),
      connectedTo: LoopbackAddress(try? socket.sockname())
    )
  }
}

/// Connections of other users, refused without a task, a timer or a place among those that are served: another user who
/// connects all the time costs little.
private struct RefusedConnections {
  private let limits: Limits
  private let response: Data
  /// Closed a little later than refused: closing with unread data resets the connection, and the peer would lose the
  /// response.
  private var open: [(socket: Socket, since: ContinuousClock.Instant)] = []

  init(limits: Limits, response: LoopbackResponse) {
    self.limits = limits
    self.response = Data(response.serialized())
  }

  mutating func refuse(_ socket: Socket) {
    // Fits into the empty buffer of a new connection.
    _ = try? socket.write(response)
    Glibc.shutdown(socket.file.rawValue, Int32(SHUT_WR))
    open.append((socket, .now))
    while let oldest = open.first,
      open.count > limits.maximumRefusedConnections || oldest.since.duration(to: .now) > limits.drainTimeout
    {
      close(open.removeFirst().socket)
    }
  }

  mutating func closeAll() {
    for connection in open { close(connection.socket) }
    open.removeAll()
  }

  private func close(_ socket: Socket) {
    var bytes = [UInt8](repeating: 0, count: 4096)
    var left = limits.maximumHeadBytes
    while left > 0 {
      let count = recv(socket.file.rawValue, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      guard count > 0 else { break }
      left -= count
    }
    try? socket.close()
  }
}
