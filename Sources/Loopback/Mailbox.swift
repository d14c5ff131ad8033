internal import Glibc
internal import Synchronization

/// What other threads tell the server's thread, through a socket that ends its `poll(2)`.
final class Mailbox: Sendable {
  enum Message: Sendable {
    case response(LoopbackResponse, id: UInt64)
    /// Accept no more, and end when the last response is written.
    case close
    /// The same, and the tasks that answer are canceled.
    case cancel
  }

  /// Readable while there are messages.
  let descriptor: Int32
  private let other: Int32
  private let messages = Mutex<[Message]>([])

  init() throws(SocketFailure) {
    var pair: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, ListeningSocket.kind, 0, &pair) == 0 else { throw SocketFailure(number: errno) }
    (descriptor, other) = (pair[0], pair[1])
  }

  deinit {
    close(descriptor)
    close(other)
  }

  func post(_ message: Message) {
    messages.withLock { messages in
      // One byte, as long as there are any.
      if messages.isEmpty { send(other, "!", 1, Int32(MSG_NOSIGNAL)) }
      messages.append(message)
    }
  }

  func take() -> [Message] {
    messages.withLock { messages in
      var byte: UInt8 = 0
      if !messages.isEmpty { recv(descriptor, &byte, 1, 0) }
      defer { messages = [] }
      return messages
    }
  }
}
