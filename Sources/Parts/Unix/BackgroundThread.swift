import CMSAuthLinux
import Dispatch
import Glibc
package import MSAuthCore
import Synchronization

/// Threads for blocking work, which must not occupy Swift's pool.
package enum BackgroundThread {
  private final class Work: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Starts work on a new thread; returns `false` if the system can't create one.
  package static func start(_ work: @escaping @Sendable () -> Void) -> Bool {
    let box = Unmanaged.passRetained(Work(work))
    // Detached from the start: the work may end the process before `pthread_create` returns.
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    var thread = pthread_t()
    let code = pthread_create(
      &thread,
      &attributes,
      { box in
        if let box { Unmanaged<Work>.fromOpaque(box).takeRetainedValue().run() }
        return nil
      },
      box.toOpaque()
    )
    guard code == 0 else {
      box.release()
      return false
    }
    return true
  }

  /// As many threads as a refresh has at a time: for blocking work, name resolution, timers, and the tasks of Swift's pool.
  private static let requiredCount = 5

  /// Throws unless the system can create the threads for a refresh: Swift's pool would wait for one forever, perhaps with a
  /// lock held.
  package static func requireFreeThreads() throws(AuthenticationError) {
    let end = DispatchSemaphore(value: 0)
    defer { for _ in 0..<requiredCount { end.signal() } }
    for _ in 0..<requiredCount {
      guard start({ end.wait() }) else { throw .noThread }
    }
  }

  /// Runs blocking work on a dedicated thread, or on the caller's if the system can't create one.
  ///
  /// Brief work, such as reading a file, stays on a ``SerialThread``, since changing threads takes longer.
  package static func run<Value: Sendable, Failure: Error>(
    isBrief: Bool = false,
    _ work: @escaping @Sendable (Cancellation) throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let cancellation = Cancellation()
    let outcome = OneShot<Result<Value, Failure>>()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let perform: @Sendable () -> Void = {
          outcome.resume(Result { () throws(Failure) -> Value in try work(cancellation) })
          continuation.resume()
        }
        if isBrief && SerialThread.isCurrent || !start(perform) { perform() }
      }
    } onCancel: {
      cancellation.raise()
    }
    guard let result = outcome.current else { preconditionFailure("the task was resumed before the work was done") }
    return try result.get()
  }

  /// Runs blocking work on a dedicated thread; if the task is canceled, returns `nil` and leaves the work running.
  package static func runAbandoning<Value: Sendable>(
    _ work: @escaping @Sendable () -> Value,
    onCancel: @escaping @Sendable () -> Void = {}
  ) async -> Value? {
    guard !Task.isCancelled else { return nil }
    let result = OneShot<Value>()
    guard start({ result.resume(work()) }) else { return nil }
    return await withTaskCancellationHandler {
      try? await result.value()
    } onCancel: {
      onCancel()
    }
  }
}

extension AuthenticationError {
  static let noThread = Self(
    .internalError,
    "the system doesn't allow this user any more threads",
    reason: "no_threads",
    hint: "end other programs of this user, or raise its limits (ulimit -u, ulimit -v)"
  )
}

/// A flag that a canceled task raises, for blocking work to check.
package final class Cancellation: Sendable {
  private let raised = Atomic<Bool>(false)

  package init() {}

  package var isRaised: Bool { raised.load(ordering: .relaxed) }

  func raise() { raised.store(true, ordering: .relaxed) }
}
