import Core
import Dispatch
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
  let outcome = OneShot<Result<Value, any Error>>()
  let done = DispatchSemaphore(value: 0)
  Task.detached(executorPreference: ThreadExecutor()) {
    do {
      outcome.resume(.success(try await operation()))
    } catch {
      outcome.resume(.failure(error))
    }
    done.signal()
  }
  done.wait()
  guard let result = outcome.current else { throw CancellationError() }
  return try result.get()
}

/// Runs each job of a task on a thread of its own.
private final class ThreadExecutor: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let run: @Sendable () -> Void = { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    if !BackgroundThread.start(run) { DispatchQueue.global().async(execute: run) }
  }
}
