/// Nothing came of it in time.
struct DeadlinePassed: Error {}

/// Runs a body for so long and no longer.
///
/// - Parameters:
///   - limit: The time that it has.
///   - body: Work that ends when its task is cancelled.
/// - Returns: What the body returns.
/// - Throws: `DeadlinePassed`, or what the body throws.
func within<Value: Sendable>(
  _ limit: Duration,
  _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  try await withThrowingTaskGroup(of: Value.self) { group in
    group.addTask(operation: body)
    group.addTask {
      try await Task.sleep(for: limit)
      throw DeadlinePassed()
    }
    defer { group.cancelAll() }
    guard let value = try await group.next() else { throw CancellationError() }
    return value
  }
}
