import Synchronization

extension Failure {
  /// The work was not done within its time.
  package static let timeout = Failure(.timedOut, "timeout", "it took too long")
}

/// Runs work and cancels it when it takes too long.
///
/// The call returns only when the work has ended, so the work has to heed its cancellation.
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

/// Runs work to its end even if the calling task is cancelled, for a few seconds.
package func withCancellationShield<Value: Sendable>(
  grace: Duration,
  _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  CancellationShield.count.add(1, ordering: .sequentiallyConsistent)
  defer { CancellationShield.count.subtract(1, ordering: .sequentiallyConsistent) }
  // After the shield is up: a process that ends cancels first and looks for shields then.
  try Task.checkCancellation()
  let task = Task { try await work() }
  return try await withTaskCancellationHandler {
    try await task.value
  } onCancel: {
    Task {
      try? await Task.sleep(for: grace)
      task.cancel()
    }
  }
}

/// Whether any work of the process runs behind a cancellation shield.
package enum CancellationShield {
  fileprivate static let count = Atomic<Int>(0)

  /// Whether there is such work now.
  package static var isUp: Bool { count.load(ordering: .sequentiallyConsistent) > 0 }

  /// How long a process that ends waits: the work may be a request without a response.
  private static let grace: Duration = .seconds(5)

  /// Waits until there is none, for a few seconds at most, also in a cancelled task.
  package static func waitUntilDown() async {
    guard isUp else { return }
    await Task.detached {
      let clock = ContinuousClock()
      let end = clock.now.advanced(by: grace)
      while isUp, clock.now < end { try? await Task.sleep(for: .milliseconds(20)) }
    }.value
  }
}
