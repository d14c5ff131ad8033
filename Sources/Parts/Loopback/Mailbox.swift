internal import Glibc
internal import Synchronization

/// Work that other threads leave for the server's thread; a socket wakes its `poll(2)`.
final class Mailbox: Sendable {
  typealias Message = @Sendable (inout Server) -> Void

  /// Readable while there are messages.
  let descriptor: Int32
  private let other: Int32
  private let messages = Mutex<[Message]>([])

  /// Returns nil with `errno` if the system has no descriptors left.
  init?() {
    var pair: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &pair) == 0 else { return nil }
    (descriptor, other) = (pair[0], pair[1])
  }

  deinit {
    close(descriptor)
    close(other)
  }

  func post(_ message: @escaping Message) {
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
