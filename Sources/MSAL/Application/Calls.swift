import Core
import Dispatch
import Unix

/// Runs completion blocks on the queue of the parameters.
struct CompletionQueue: Sendable {
  private let queue: DispatchQueue

  init(_ parameters: MSALParameters?, default queue: DispatchQueue) {
    self.queue = parameters?.completionBlockQueue ?? queue
  }

  func finish<Value: Sendable>(
    _ operation: @escaping @Sendable () async throws -> Value,
    _ completion: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    Task.detached { [queue] in
      let result: Result<Value, any Error>
      do {
        result = .success(try await operation())
      } catch {
        result = .failure(error)
      }
      queue.async { completion(result) }
    }
  }
}

/// Blocks the calling thread, since some of MSAL's calls are synchronous.
///
/// The operation runs on dedicated threads: it would never finish if it needed the caller's thread of Swift's pool.
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

/// Runs each job of a task on a dedicated thread.
private final class ThreadExecutor: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let run: @Sendable () -> Void = { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    if !BackgroundThread.start(run) { DispatchQueue.global().async(execute: run) }
  }
}
