import MSAuth
import MSAuthCore
import MSAuthUnix

/// Runs an operation, and then the completion block on a queue.
func complete<Value: Sendable>(
  _ completionBlock: @escaping @Sendable (Value?, (any Error)?) -> Void,
  on queue: DispatchQueue,
  _ operation: @escaping @Sendable () async throws -> Value
) {
  Task.detached {
    do {
      let value = try await operation()
      queue.async { completionBlock(value, nil) }
    } catch {
      queue.async { completionBlock(nil, error) }
    }
  }
}

/// Blocks the calling thread, since some of MSAL's calls are synchronous; throws if there is no result in time.
func blocking<Value: Sendable>(
  within limit: DispatchTimeInterval = .seconds(10),
  _ operation: @escaping @Sendable () async throws -> Value
) throws -> Value {
  let outcome = OneShot<Result<Value, any Error>>()
  let done = DispatchSemaphore(value: 0)
  // On dedicated threads: it would never finish if it needed the caller's thread of Swift's pool.
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
    let message = "the token store didn't respond in time"
    let hint: Hint = "unlock the keyring and try again; calls with a completion block don't block"
    throw AuthenticationError(.storeUnavailable, message, reason: "store_slow", hint: hint)
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
