internal import FlyingSocks
internal import FoundationEssentials
internal import Glibc
internal import Synchronization
internal import Unix

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
    let acceptor = Acceptor(of: listener, listening, refusal: foreignUser, onEvent: onEvent)
    defer { acceptor.closeRefused() }
    await withDiscardingTaskGroup { connections in
      while !Task.isCancelled, listener.isOpen {
        guard let (accepted, isAdmitted) = await acceptor.next() else {
          guard !Task.isCancelled, listener.isOpen else { break }
          // EMFILE, ENFILE, ENOBUFS, no thread: all of them are temporary.
          onEvent(.acceptFailed)
          limiter.endOldestIdle()
          try? await Task.sleep(for: limits.acceptRetryDelay)
          continue
        }
        guard let socket = try? AsyncSocket(socket: accepted, pool: pool) else {
          try? accepted.close()
          continue
        }
        guard await admit(socket) else { continue }
        connections.addTask { await serve(socket, isAdmitted: isAdmitted) }
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

  /// Whether a connection may be served, where that is not known at once.
  func decision(on socket: Socket) async -> PeerOwner.Decision {
    await listener.peerOwner.decision(
      on: LoopbackAddress(try? socket.remotePeer()),
      connectedTo: LoopbackAddress(try? socket.sockname())
    )
  }
}

/// Accepts connections on a thread of its own, where those of other users end: no task, no timer, no place among those
/// that are served, and no change of threads, so that another user who connects all the time costs little.
private final class Acceptor: Sendable {
  private let listener: LoopbackListener
  private let listening: ListeningSocket
  private let onEvent: @Sendable (LoopbackListener.Event) -> Void
  private let refused: Mutex<RefusedConnections>

  init(
    of listener: LoopbackListener,
    _ listening: ListeningSocket,
    refusal: LoopbackResponse,
    onEvent: @escaping @Sendable (LoopbackListener.Event) -> Void
  ) {
    self.listener = listener
    self.listening = listening
    self.onEvent = onEvent
    self.refused = Mutex(RefusedConnections(limits: listener.limits, response: refusal))
  }

  /// Waits for a connection that is not another user's.
  ///
  /// - Returns: Its socket, and whether its peer is known to be one that may be served; nil when the system failed, the
  ///   listener is closed, or the task is cancelled, and the socket listens no more then.
  func next() async -> (socket: Socket, isAdmitted: Bool)? {
    let cancellation = Cancellation()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isStarted = BackgroundThread.start { [self] in
          continuation.resume(returning: waitForNext(unless: cancellation))
        }
        if !isStarted { continuation.resume(returning: nil) }
      }
    } onCancel: {
      cancellation.raise()
      listening.shutDown()
    }
  }

  func closeRefused() { refused.withLock { $0.closeAll() } }

  /// Not every system wakes who waits for a socket that is shut down.
  private static let maximumWaitMilliseconds: Int32 = 1000

  private func waitForNext(unless cancellation: Cancellation) -> (socket: Socket, isAdmitted: Bool)? {
    while !cancellation.isRaised, listener.isOpen {
      let socket: Socket
      let peer: LoopbackAddress?
      do throws(SocketFailure) {
        (socket, peer) = try listening.accept()
      } catch {
        switch error.number {
        case EAGAIN: listening.wait(milliseconds: Self.maximumWaitMilliseconds)
        case EINTR, ECONNABORTED: break
        default: return nil
        }
        continue
      }
      switch listener.peerOwner.immediateDecision(on: peer, connectedTo: listening.address) {
      case .refused(let event):
        onEvent(event)
        refused.withLock { $0.refuse(socket) }
      case .admitted: return (socket, true)
      case nil: return (socket, false)
      }
    }
    return nil
  }
}

/// Connections that were refused and are closed a little later: closing with unread data resets the connection, and the
/// peer would lose the response.
private struct RefusedConnections {
  private let limits: Limits
  private let response: Data
  private var open: [(socket: Socket, since: ContinuousClock.Instant)] = []

  init(limits: Limits, response: LoopbackResponse) {
    self.limits = limits
    self.response = Data(response.serialized())
  }

  mutating func refuse(_ socket: Socket) {
    // Fits into the empty buffer of a new connection.
    _ = try? socket.write(response)
    Glibc.shutdown(socket.file.rawValue, Int32(SHUT_WR))
    let now = ContinuousClock.now
    open.append((socket, now))
    while let oldest = open.first,
      open.count > limits.maximumRefusedConnections || oldest.since.duration(to: now) > limits.drainTimeout
    {
      close(open.removeFirst().socket)
    }
  }

  mutating func closeAll() {
    for connection in open { close(connection.socket) }
    open.removeAll()
  }

  private func close(_ socket: Socket) {
    // What has come is discarded without being copied (tcp(7)).
    recv(socket.file.rawValue, nil, limits.maximumHeadBytes, Int32(MSG_DONTWAIT | MSG_TRUNC))
    try? socket.close()
  }
}
