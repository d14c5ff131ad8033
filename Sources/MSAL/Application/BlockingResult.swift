import Dispatch
import Synchronization
import Unix

/// Runs an asynchronous operation while the calling thread waits, since MSAL's call for it is synchronous.
///
/// The operation runs on threads of its own: the caller may stand on one of the few that Swift's tasks share, and would
/// wait for ever if the operation needed that one.
///
/// - Parameter operation: What to run.
/// - Returns: What it returned.
/// - Throws: What it threw.
func blocking<Value: Sendable>(_ operation: @escaping @Sendable () async throws -> Value) throws -> Value {
  let outcome = BlockingResult<Value>()
  Task.detached(executorPreference: ThreadExecutor()) {
    do {
      outcome.give(.success(try await operation()))
    } catch {
      outcome.give(.failure(error))
    }
  }
  return try outcome.wait()
}

/// Runs each job of a task on a thread of its own.
private final class ThreadExecutor: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let run: @Sendable () -> Void = { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    if !BackgroundThread.start(run) { DispatchQueue.global().async(execute: run) }
  }
}

/// The outcome of a task that a thread waits for.
final class BlockingResult<Value: Sendable>: Sendable {
  private let outcome = Mutex<Result<Value, any Error>?>(nil)
  private let given = DispatchSemaphore(value: 0)

  func give(_ result: Result<Value, any Error>) {
    outcome.withLock { $0 = result }
    given.signal()
  }

  func wait() throws -> Value {
    given.wait()
    guard let result = outcome.withLock({ $0 }) else { throw CancellationError() }
    return try result.get()
  }
}
