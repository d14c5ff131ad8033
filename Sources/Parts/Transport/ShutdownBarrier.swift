import Glibc
import MSAuthCore
import MSAuthUnix
import Synchronization

/// Ends libcurl's work before the process ends.
///
/// OpenSSL frees its tables in an `atexit` handler, which crashes threads in a TLS call. So threads enter libcurl through
/// this barrier, and a handler registered later, which therefore runs before, closes it and waits for them.
enum ShutdownBarrier {
  private static let inside = Atomic<Int>(0)
  private static let closed = Atomic<Bool>(false)
  private static let over = Atomic<Bool>(false)

  /// In seconds; a transfer checks the barrier every tenth of a second.
  private static let timeout: Int64 = 1

  /// Whether only a request that must complete may go on.
  static var isClosed: Bool { closed.load(ordering: .sequentiallyConsistent) }

  static var isOver: Bool { over.load(ordering: .sequentiallyConsistent) }

  /// Runs work that calls libcurl, unless the process is ending.
  static func pass<Value>(_ work: () -> Value) -> Value? {
    inside.add(1, ordering: .sequentiallyConsistent)
    defer { inside.subtract(1, ordering: .sequentiallyConsistent) }
    return isClosed ? nil : work()
  }

  /// Registers a handler that runs before all earlier ones.
  static func registerExitHandler() {
    atexit {
      ShutdownBarrier.closed.store(true, ordering: .sequentiallyConsistent)
      // A refresh whose request was sent gets its response, and stores it.
      ShutdownBarrier.wait(atMost: CancellationShield.maximumSeconds) { CancellationShield.awaitsResponse }
      ShutdownBarrier.over.store(true, ordering: .sequentiallyConsistent)
      ShutdownBarrier.wait(atMost: ShutdownBarrier.timeout) {
        ShutdownBarrier.inside.load(ordering: .sequentiallyConsistent) > 0
      }
    }
  }

  private static func wait(atMost seconds: Int64, while isBusy: () -> Bool) {
    let deadline = Deadline(in: .seconds(seconds))
    while isBusy(), !deadline.hasPassed { usleep(2_000) }
  }
}
