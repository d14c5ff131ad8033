import Synchronization

/// A value that is given once and awaited by any number of tasks.
final class OneShot<Value: Sendable>: Sendable {
  private enum State {
    case open([Int: CheckedContinuation<Value, any Error>])
    case kept(Value)
  }

  private let state = Mutex<State>(.open([:]))
  private let nextWaiter = Atomic<Int>(0)

  /// Gives the value.
  ///
  /// - Returns: Whether this call gave it; false when it was given before.
  @discardableResult
  func resume(_ value: Value) -> Bool {
    let waiters: [CheckedContinuation<Value, any Error>]? = state.withLock { state in
      guard case .open(let waiters) = state else { return nil }
      state = .kept(value)
      return Array(waiters.values)
    }
    guard let waiters else { return false }
    for waiter in waiters { waiter.resume(returning: value) }
    return true
  }

  /// The value, if it was given.
  var current: Value? {
    state.withLock { state in
      if case .kept(let value) = state { value } else { nil }
    }
  }

  /// Waits for the value.
  ///
  /// - Throws: `CancellationError` when the waiting task is cancelled first.
  func value() async throws -> Value {
    let waiter = nextWaiter.wrappingAdd(1, ordering: .relaxed).newValue
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let kept: Value? = state.withLock { state in
          switch state {
          case .kept(let value):
            return value
          case .open(var waiters):
            waiters[waiter] = continuation
            state = .open(waiters)
            return nil
          }
        }
        if let kept {
          continuation.resume(returning: kept)
        } else if Task.isCancelled {
          // The cancellation handler may have run before the continuation was there to be found.
          abandon(waiter)
        }
      }
    } onCancel: {
      abandon(waiter)
    }
  }

  private func abandon(_ waiter: Int) {
    let continuation: CheckedContinuation<Value, any Error>? = state.withLock { state in
      guard case .open(var waiters) = state else { return nil }
      let continuation = waiters.removeValue(forKey: waiter)
      state = .open(waiters)
      return continuation
    }
    continuation?.resume(throwing: CancellationError())
  }
}

/// Runs a task and gives up on it after a while.
///
/// - Parameters:
///   - seconds: How long it may take.
///   - late: The error of being late.
///   - body: The task; it is cancelled when it is late.
/// - Returns: What the task returned.
/// - Throws: What the task threw, or the error of being late.
func within<Value: Sendable>(
  seconds: Double,
  orThrow late: AuthenticationError,
  _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  try await withThrowingTaskGroup(of: Value.self) { group in
    group.addTask(operation: body)
    group.addTask {
      try await Task.sleep(for: .seconds(seconds))
      throw late
    }
    defer { group.cancelAll() }
    guard let first = try await group.next() else { throw late }
    return first
  }
}
