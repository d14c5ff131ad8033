import Dispatch
import Synchronization

/// The outcome of a task that a thread waits for, since MSAL's call for it returns no earlier.
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
