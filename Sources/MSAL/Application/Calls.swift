import Dispatch
import MSAuth
import MSAuthCore
import MSAuthUnix

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
/// Without a result in time, it is canceled, and the store counts as unavailable.
func blocking<Value: Sendable>(
  within limit: DispatchTimeInterval = .seconds(10),
  _ operation: @escaping @Sendable () async throws -> Value
) throws -> Value {
  let outcome = OneShot<Result<Value, any Error>>()
  let done = DispatchSemaphore(value: 0)
  let task = Task.detached(executorPreference: ThreadExecutor()) {
    do {
      outcome.resume(.success(try await operation()))
    } catch {
      outcome.resume(.failure(error))
    }
    done.signal()
  }
  guard done.wait(timeout: .now() + limit) == .success, let result = outcome.current else {
    task.cancel()
    throw AuthenticationError(
      .storeUnavailable,
      "the token store didn't respond in time",
      reason: "store_slow",
      hint: "unlock the keyring and try again; calls with a completion block don't block"
    )
  }
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
