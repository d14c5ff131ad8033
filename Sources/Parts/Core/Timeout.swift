/// How long a request may take by default; how long others wait for a token refresh derives from it.
///
/// Computed, since a signal handler can't initialize a global.
package var defaultRequestTimeout: Duration { .seconds(30) }

extension AuthenticationError {
  package static let timeout = Self(.timedOut, "the operation took too long", reason: "timeout")
}

/// Cancels work that takes too long; returns when it has ended, so the work must respond to cancellation.
package func withTimeout<Value: Sendable>(
  _ timeout: Duration,
  _ work: @escaping @Sendable () async throws -> Value
) async throws(AuthenticationError) -> Value {
  do {
    return try await withThrowingTaskGroup(of: Value.self) { group in
      group.addTask(operation: work)
      group.addTask {
        try await Task.sleep(for: timeout)
        throw AuthenticationError.timeout
      }
      defer { group.cancelAll() }
      guard let value = try await group.next() else { throw CancellationError() }
      return value
    }
  } catch {
    throw AuthenticationError(wrapping: error)
  }
}

extension Duration {
  package func sleep() async throws(AuthenticationError) {
    do { try await Task.sleep(for: self) } catch { throw .canceled }
  }
}

extension Task where Failure == any Error {
  /// The value; throws the task's error as an `AuthenticationError`.
  package func get() async throws(AuthenticationError) -> Success {
    try await result.mapError(AuthenticationError.init(wrapping:)).get()
  }
}
