import MSAuth
import MSAuthUnix
import Synchronization

/// Standard output: one message per line, never interleaved.
final class MessageOutput: Sendable {
  private let descriptor: Int32
  private let turn = Mutex(())
  private let closed = Atomic(false)

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  var isClosed: Bool { closed.load(ordering: .relaxed) }

  /// Blocks while the client doesn't read, which slows the server's stream down.
  func write(_ message: MCPMessage) {
    turn.withLock { _ in
      guard !isClosed, writeAll(message.bytes + [UInt8(ascii: "\n")], to: descriptor) != nil else { return }
      closed.store(true, ordering: .relaxed)
    }
  }

  /// Writes on another thread: a client that doesn't read must not block those of Swift's pool.
  func writeInBackground(_ message: MCPMessage) async { await BackgroundThread.run { [self] _ in write(message) } }
}
