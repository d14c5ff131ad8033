import Synchronization

extension Failure {
  package static let timeout = Failure(.timedOut, "timeout", "it took too long")
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

/// Runs work to its end even if the calling task is canceled, within a grace period.
package func withCancellationShield<Value: Sendable>(
  grace: Duration,
  _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  CancellationShield.count.add(1, ordering: .sequentiallyConsistent)
  defer { CancellationShield.count.subtract(1, ordering: .sequentiallyConsistent) }
  // With the shield up: an exiting process cancels first, then checks for shields.
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

package enum CancellationShield {
  fileprivate static let count = Atomic<Int>(0)

  package static var isUp: Bool { count.load(ordering: .sequentiallyConsistent) > 0 }

  /// The work may be a request without a response.
  private static let grace: Duration = .seconds(5)

  /// Waits a few seconds at most, even in a canceled task.
  package static func waitUntilDown() async {
    guard isUp else { return }
    await Task.detached {
      try? await withTimeout(grace) { while isUp { try await Task.sleep(for: .milliseconds(20)) } }
    }.value
  }
}
