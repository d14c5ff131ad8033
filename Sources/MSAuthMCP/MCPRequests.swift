import MSAuth
import Synchronization

/// The requests that a bridge has in progress.
final class MCPRequests: Sendable {
  /// Further messages wait in the pipe.
  private static let maximum = 64

  private struct State: Sendable {
    var tasks: [Int: Task<Void, Never>] = [:]
    /// The numbers of the tasks that the client can cancel, by their requests' IDs.
    var cancelable: [JSONValue: Int] = [:]
    var count = 0
    var change = OneShot<Void>()
  }

  private let state = Mutex(State())

  /// Starts a request; waits while too many are in progress.
  func start(_ id: JSONValue?, _ work: @escaping @Sendable () async -> Void) async {
    while let change = state.withLock({ $0.tasks.count >= Self.maximum ? $0.change : nil }) {
      guard (try? await change.value()) != nil else { return }
    }
    state.withLock { state in
      state.count += 1
      let number = state.count
      if let id { state.cancelable[id] = number }
      state.tasks[number] = Task {
        await work()
        self.state.withLock { state in
          state.tasks[number] = nil
          if let id, state.cancelable[id] == number { state.cancelable[id] = nil }
          state.change.resume()
          state.change = OneShot()
        }
      }
    }
  }

  /// Cancels a request; returns false if it isn't in progress.
  func cancel(_ id: JSONValue) -> Bool {
    let task = state.withLock { state in state.cancelable[id].flatMap { state.tasks[$0] } }
    task?.cancel()
    return task != nil
  }

  /// Waits for the requests, then cancels them.
  func end(within limit: Duration) async {
    try? await withTimeout(limit) {
      while let change = self.state.withLock({ $0.tasks.isEmpty ? nil : $0.change }) { try await change.value() }
    }
    for task in state.withLock({ Array($0.tasks.values) }) { task.cancel() }
  }
}
