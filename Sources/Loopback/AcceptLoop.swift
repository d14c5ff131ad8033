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
    await withDiscardingTaskGroup { connections in
      while !Task.isCancelled, listener.isOpen {
        do {
          let socket = try await acceptor.accept()
          _ = fcntl(socket.socket.file.rawValue, F_SETFD, FD_CLOEXEC)
          guard await admit(socket) else { continue }
          connections.addTask { await serve(socket) }
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

  private func serve(_ socket: AsyncSocket) async {
    await Connection(socket: socket, loop: self).serve()
    limiter.remove(socket.socket)
    try? socket.close()
  }

  /// The response to what is not answered by ``respond``.
  func refuse(_ status: Int, _ text: String, _ request: LoopbackRequest? = nil) -> LoopbackResponse {
    refusal(status, request) ?? .refusal(status, text)
  }

  /// Why a connection has to be refused because of its other end; nil when it may be served.
  func refusal(of socket: Socket) async -> LoopbackListener.Event? {
    await listener.peerOwner.refusal(
      of: LoopbackAddress(try? socket.remotePeer()),
      connectedTo: LoopbackAddress(try? socket.sockname())
    )
  }
}
