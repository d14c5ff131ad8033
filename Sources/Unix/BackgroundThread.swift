import Core
import Dispatch
import Glibc
import Synchronization

/// Threads for work that blocks, so that it takes none of the few that Swift's tasks share.
///
/// A thread whose work is done waits a moment for the next.
package enum BackgroundThread {
  /// Starts work on a thread that has none at the moment, or on a new one.
  package static func start(_ work: @escaping @Sendable () -> Void) -> Bool {
    start { () -> Report? in
      work()
      return nil
    }
  }

  /// Tells somebody that the work is done, which may be the thread that has more.
  fileprivate typealias Report = @Sendable () -> Void

  /// Starts work whose report is made when the thread can be had again: else the next work, which it may lead to at once,
  /// would start a thread more.
  private static func start(_ work: @escaping @Sendable () -> Report?) -> Bool {
    if let worker = Worker.takeIdle() {
      worker.resume(with: work)
      return true
    }
    let box = Unmanaged.passRetained(Worker(work))
    var thread = pthread_t()
    let code = pthread_create(
      &thread,
      nil,
      { box in
        if let box { Unmanaged<Worker>.fromOpaque(box).takeRetainedValue().run() }
        return nil
      },
      box.toOpaque()
    )
    guard code == 0 else {
      box.release()
      return false
    }
    pthread_detach(thread)
    return true
  }

  /// Runs blocking work on a thread of its own and waits for it.
  ///
  /// When the system has no thread to give, the work runs on the caller's.
  package static func run<Value: Sendable, Failure: Error>(
    _ work: @escaping @Sendable (Cancellation) throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let cancellation = Cancellation()
    let outcome = OneShot<Result<Value, Failure>>()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let perform: @Sendable () -> Report? = {
          outcome.resume(Result { () throws(Failure) -> Value in try work(cancellation) })
          return { continuation.resume() }
        }
        if !start(perform) { perform()?() }
      }
    } onCancel: {
      cancellation.raise()
    }
    guard let result = outcome.current else { preconditionFailure("the task was resumed before the work was done") }
    return try result.get()
  }

  /// Runs work that takes about as long as to read a file: on a ``SerialThread`` at once, since its program has nothing
  /// else to do meanwhile and to change threads takes longer; elsewhere as ``run(_:)`` does.
  package static func runBriefly<Value: Sendable, Failure: Error>(
    _ work: @escaping @Sendable (Cancellation) throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    guard SerialThread.isCurrent else { return try await run(work) }
    let cancellation = Cancellation()
    let result = await withTaskCancellationHandler {
      Result { () throws(Failure) -> Value in try work(cancellation) }
    } onCancel: {
      cancellation.raise()
    }
    return try result.get()
  }

  /// Runs blocking work on a thread of its own, and leaves it behind when the waiting task is cancelled.
  package static func runAbandoning<Value: Sendable>(
    _ work: @escaping @Sendable () -> Value,
    onCancel: @escaping @Sendable () -> Void = {}
  ) async -> Value? {
    guard !Task.isCancelled else { return nil }
    let result = OneShot<Value>()
    let perform: @Sendable () -> Report? = {
      let value = work()
      return { result.resume(value) }
    }
    guard start(perform) else { return nil }
    return await withTaskCancellationHandler {
      try? await result.value()
    } onCancel: {
      onCancel()
    }
  }
}

/// A thread that waits a moment for further work: a command reads several small files in turn, and to start a thread
/// costs more than to read one.
private final class Worker: Sendable {
  private static let idle = Mutex<[Worker]>([])
  private static let idleTime: DispatchTimeInterval = .milliseconds(100)

  typealias Work = @Sendable () -> BackgroundThread.Report?

  private let work: Mutex<Work?>
  private let wake = DispatchSemaphore(value: 0)

  init(_ work: @escaping Work) { self.work = Mutex(work) }

  /// A thread that waits, for the caller alone.
  static func takeIdle() -> Worker? { idle.withLock { $0.popLast() } }

  func resume(with next: @escaping Work) {
    work.withLock { $0 = next }
    wake.signal()
  }

  func run() {
    repeat {
      let current = work.withLock { work in
        defer { work = nil }
        return work
      }
      let report = current?()
      Self.idle.withLock { $0.append(self) }
      report?()
    } while hasFurtherWork()
  }

  private func hasFurtherWork() -> Bool {
    if wake.wait(timeout: .now() + Self.idleTime) == .success { return true }
    let isGivenUp = Self.idle.withLock { idle in
      guard let index = idle.firstIndex(where: { $0 === self }) else { return false }
      idle.remove(at: index)
      return true
    }
    if isGivenUp { return false }
    // Somebody took it in the last moment, and its work is on the way.
    wake.wait()
    return true
  }
}

/// A flag that a cancelled task raises and blocking work looks at.
package final class Cancellation: Sendable {
  private let raised = Atomic<Bool>(false)

  package init() {}

  /// Whether the task was cancelled.
  package var isRaised: Bool { raised.load(ordering: .relaxed) }

  /// Raises the flag.
  package func raise() { raised.store(true, ordering: .relaxed) }
}
