internal import Core
internal import FlyingSocks
internal import FoundationEssentials
internal import Glibc

/// Accepts connections until the listener closes, whatever befalls a single one of them.
struct Service: Sendable {
  let listener: LoopbackListener
  let pool: SocketPool<ReadinessQueue>
  let table: ConnectionTable
  let notice: @Sendable (ConnectionNotice) -> Void
  let respond: @Sendable (LoopbackRequest) async -> LoopbackResponse

  /// Serves one of the listener's sockets.
  func accept(on listening: ListeningSocket) async {
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
          // EMFILE, ENFILE, ECONNABORTED, EINTR, ENOBUFS: all of them pass.
          notice(.notAccepted)
          table.endOldestIdle()
          try? await Task.sleep(for: listener.limits.acceptPause)
        }
      }
      table.endIdle()
    }
  }

  private func admit(_ socket: AsyncSocket) async -> Bool {
    while !Task.isCancelled {
      // Asked for before the table is, so that no place falls vacant unseen in between.
      let vacancy = table.vacancy()
      switch table.admit(socket.socket, now: .now) {
      case .admitted: return true
      case .later(let pause): try? await withTimeout(pause) { for await _ in vacancy {} }
      case .full:
        notice(.refused(status: 503, reason: "too many connections wait for an answer"))
        _ = try? socket.socket.write(.init(LoopbackResponse.refusal(503, "Try again in a moment.").serialized()))
        try? socket.close()
        return false
      }
    }
    try? socket.close()
    return false
  }

  private func serve(_ socket: AsyncSocket) async {
    let connection = Connection(socket: socket, service: self)
    await connection.serve()
    table.remove(socket.socket)
    try? socket.close()
  }
}
