import Glibc
import Synchronization

/// Keeps libcurl's work and the end of the process apart.
///
/// OpenSSL frees its tables in a handler that it gave to `atexit`. A thread that is still in a TLS call at that moment
/// crashes the process after all its work is done. So every thread passes this gate on its way into libcurl, and a
/// handler registered after OpenSSL's, which therefore runs before it, closes the gate and waits for those inside.
enum ShutdownBarrier {
  private static let inside = Atomic<Int>(0)
  private static let closed = Atomic<Bool>(false)

  /// How long the end of the process waits, in microseconds: a transfer looks at the gate every tenth of a second.
  private static let patience: useconds_t = 1_000_000
  private static let step: useconds_t = 2_000

  /// Whether the process is ending, so that a transfer has to stop.
  static var isClosed: Bool { closed.load(ordering: .sequentiallyConsistent) }

  /// Runs work that calls libcurl, unless the process is ending.
  ///
  /// - Returns: What the work returned; nil when it was not run.
  static func pass<Value>(_ work: () -> Value) -> Value? {
    inside.add(1, ordering: .sequentiallyConsistent)
    defer { inside.subtract(1, ordering: .sequentiallyConsistent) }
    return isClosed ? nil : work()
  }

  /// Arranges the closing, ahead of every handler that is registered by now.
  static func close(beforeHandlersRegisteredUntilNow: Void) {
    atexit {
      ShutdownBarrier.closed.store(true, ordering: .sequentiallyConsistent)
      var waited: useconds_t = 0
      while ShutdownBarrier.inside.load(ordering: .sequentiallyConsistent) > 0, waited < ShutdownBarrier.patience {
        usleep(ShutdownBarrier.step)
        waited += ShutdownBarrier.step
      }
    }
  }
}
