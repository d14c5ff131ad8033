internal import Synchronization

/// A value that is set once, for any number of tasks.
package final class OneShot<Value: Sendable>: Sendable {
  private struct State {
    var value: Value?
    var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    var waiterCount = 0
  }

  private let state = Mutex(State())

  package init() {}

  package var current: Value? { state.withLock { $0.value } }

  /// Sets the value; returns false if it was set before.
  @discardableResult
  package func resume(_ value: Value) -> Bool {
    let waiters: [CheckedContinuation<Void, Never>]? = state.withLock { state in
      guard case nil = state.value else { return nil }
      state.value = value
      return Array(exchange(&state.waiters, with: [:]).values)
    }
    for waiter in waiters ?? [] { waiter.resume() }
    return waiters != nil
  }

  package func value() async throws(CancellationError) -> Value {
    let waiter = state.withLock { state in
      state.waiterCount += 1
      return state.waiterCount
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let waits = state.withLock { state in
          // The cancellation handler may have run before.
          guard case nil = state.value, !Task.isCancelled else { return false }
          state.waiters[waiter] = continuation
          return true
        }
        if !waits { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiters.removeValue(forKey: waiter) }?.resume()
    }
    // Not returned by the continuation: the thread sanitizer doesn't see how the standard library hands a value over.
    guard let value = current else { throw CancellationError() }
    return value
  }
}

extension OneShot<Void> {
  package func resume() { resume(()) }
}
