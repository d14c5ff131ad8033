/// How long work that should not be left half done may still take after the calling task was cancelled.
///
/// A token request takes a fraction of a second; a person who pressed Ctrl-C waits no longer than this.
private let grace: Duration = .seconds(3)

/// Runs work to its end although the calling task is cancelled meanwhile, within a few seconds.
///
/// - Parameter work: The work; it is cancelled when the time of grace is over.
/// - Returns: What the work returned.
/// - Throws: What the work threw.
func finishing<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
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
