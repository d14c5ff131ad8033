import MSAuth
import Synchronization

/// The exchanges that a bridge has in progress.
final class MCPExchanges: Sendable {
  private static let maximum = 64
  private static let maximumWaiting = 1000

  private struct State: Sendable {
    var tasks: [Int: Task<Void, Never>] = [:]
    /// The tasks' numbers by their requests' IDs.
    var numbers: [String: Int] = [:]
    /// The tasks that count toward ``maximum``, and those that wait for a turn.
    var running: Set<Int> = []
    var waiting: [(number: Int, turn: OneShot<Void>)] = []
    /// The number of the last task.
    var count = 0
    /// Resumed when a task ends.
    var change = OneShot<Void>()
  }

  private let state = Mutex(State())

  /// Starts work, or queues it while too much is in progress; returns `nil` if the queue is full.
  ///
  /// Urgent work starts at once.
  @discardableResult
  func start(
    _ id: JSONValue? = nil,
    isUrgent: Bool,
    _ work: @escaping @Sendable () async -> Void
  ) -> Task<Void, Never>? {
    state.withLock { state in
      guard state.waiting.count < Self.maximumWaiting || isUrgent else { return nil }
      state.count += 1
      let (number, turn) = (state.count, OneShot<Void>())
      if !isUrgent, state.running.count == Self.maximum {
        state.waiting.append((number, turn))
      } else {
        turn.resume()
        if !isUrgent { state.running.insert(number) }
      }
      if let id { state.numbers[id.messageID] = number }
      let task = Task {
        if (try? await turn.value()) != nil { await work() }
        self.finish(number, id)
      }
      state.tasks[number] = task
      return task
    }
  }

  private func finish(_ number: Int, _ id: JSONValue?) {
    state.withLock { state in
      state.tasks[number] = nil
      if let id = id?.messageID, state.numbers[id] == number { state.numbers[id] = nil }
      state.waiting.removeAll { $0.number == number }
      if state.running.remove(number) != nil, !state.waiting.isEmpty {
        let next = state.waiting.removeFirst()
        state.running.insert(next.number)
        next.turn.resume()
      }
      state.change.resume()
      state.change = OneShot()
    }
  }

  /// Cancels a request; returns false if it isn't in progress.
  func cancel(_ id: JSONValue) -> Bool {
    let task = state.withLock { state in state.numbers[id.messageID].flatMap { state.tasks[$0] } }
    task?.cancel()
    return task != nil
  }

  /// Waits for the exchanges up to the limit, then cancels the rest.
  func end(within limit: Duration) async {
    try? await withTimeout(limit) {
      while let change = self.state.withLock({ $0.tasks.isEmpty ? nil : $0.change }) { try await change.value() }
    }
    for task in state.withLock({ Array($0.tasks.values) }) { task.cancel() }
  }
}
