/// How long shielded work may still take after the calling task was cancelled.
///
/// A token request takes a fraction of a second; after Ctrl-C nobody waits longer than this.
private let grace: Duration = .seconds(3)

/// Runs work to its end even if the calling task is cancelled, for a few seconds.
///
/// - Parameter work: The work; it is cancelled when the grace period ends.
/// - Returns: What the work returned.
/// - Throws: What the work threw.
func withCancellationShield<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value
{
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
