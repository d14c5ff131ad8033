internal import Synchronization

/// A value that is set once and awaited by any number of tasks.
package final class OneShot<Value: Sendable>: Sendable {
  private enum State {
    case pending([Int: CheckedContinuation<Void, Never>])
    case resolved(Value)
  }

  private let state = Mutex<State>(.pending([:]))
  private let nextWaiter = Atomic<Int>(0)

  package init() {}

  /// Sets the value and resumes all that wait for it.
  @discardableResult
  package func resume(_ value: Value) -> Bool {
    let waiters: [CheckedContinuation<Void, Never>]? = state.withLock { state in
      guard case .pending(let waiters) = state else { return nil }
      state = .resolved(value)
      return Array(waiters.values)
    }
    guard let waiters else { return false }
    for waiter in waiters { waiter.resume() }
    return true
  }

  /// The value, or nil while it is not set.
  package var current: Value? {
    state.withLock { state in
      if case .resolved(let value) = state { value } else { nil }
    }
  }

  /// Waits for the value.
  package func value() async throws(CancellationError) -> Value {
    let waiter = nextWaiter.wrappingAdd(1, ordering: .relaxed).newValue
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isSet = state.withLock { state in
          guard case .pending(var waiters) = state else { return true }
          waiters[waiter] = continuation
          state = .pending(waiters)
          return false
        }
        if isSet {
          continuation.resume()
        } else if Task.isCancelled {
          // The cancellation handler may have run before the continuation was registered.
          abandon(waiter)
        }
      }
    } onCancel: {
      abandon(waiter)
    }
    // Not brought by the continuation: how that hands a value to a task which does not wait yet is atomic, but in the
    // standard library, where the thread sanitizer does not see it.
    guard let value = current else { throw CancellationError() }
    return value
  }

  private func abandon(_ waiter: Int) {
    let continuation: CheckedContinuation<Void, Never>? = state.withLock { state in
      guard case .pending(var waiters) = state else { return nil }
      let continuation = waiters.removeValue(forKey: waiter)
      state = .pending(waiters)
      return continuation
    }
    continuation?.resume()
  }
}

extension OneShot<Void> {
  package func resume() { resume(()) }
}
