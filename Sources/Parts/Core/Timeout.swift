extension Failure {
  package static let timeout = Failure(.timedOut, "it took too long", reason: "timeout")
}

/// Cancels work that takes too long; returns when it has ended, so the work must respond to cancellation.
package func withTimeout<Value: Sendable>(
  _ timeout: Duration,
  _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  try await withThrowingTaskGroup(of: Value.self) { group in
    group.addTask(operation: work)
    group.addTask {
      try await Task.sleep(for: timeout)
      throw Failure.timeout
    }
    defer { group.cancelAll() }
    guard let value = try await group.next() else { throw CancellationError() }
    return value
  }
}
