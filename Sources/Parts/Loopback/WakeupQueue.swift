internal import CMSAuthLinux
internal import Glibc
internal import Synchronization

/// Work that other threads leave for the event loop's thread; an eventfd(2) wakes its `poll(2)`.
final class WakeupQueue: Sendable {
  typealias Message = @Sendable (inout EventLoop) -> Void

  /// Readable while there are messages.
  let descriptor: Int32
  private let messages = Mutex<[Message]>([])

  /// Returns nil with `errno` if the system has no descriptors left.
  init?() {
    descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard descriptor >= 0 else { return nil }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  func post(_ message: @escaping Message) {
    messages.withLock { $0.append(message) }
    eventfd_write(descriptor, 1)
  }

  func take() -> [Message] {
    var count: eventfd_t = 0
    eventfd_read(descriptor, &count)
    return messages.withLock { messages in
      defer { messages = [] }
      return messages
    }
  }
}
