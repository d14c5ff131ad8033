import Synchronization

/// Runs work to its end even if the calling task is canceled, within a grace period.
package func withCancellationShield<Value: Sendable>(
  grace: Duration,
  _ work: @escaping @Sendable () async throws -> Value
) async throws(AuthenticationError) -> Value {
  CancellationShield.raise()
  defer { CancellationShield.lower() }
  // Check with the shield up: an exiting process cancels first, then checks for shields.
  try AuthenticationError.checkCancellation()
  let task = Task { try await work() }
  let result = await withTaskCancellationHandler {
    await task.result
  } onCancel: {
    Task {
      try? await Task.sleep(for: grace)
      task.cancel()
    }
  }
  return try result.mapError(AuthenticationError.init(wrapping:)).get()
}

package enum CancellationShield {
  /// Twice the number of shields, plus 1 after a request was noted: one value, since shields overlap.
  private static let state = Atomic<Int>(0)

  fileprivate static func raise() { state.add(2, ordering: .sequentiallyConsistent) }

  /// The last shield removes the note too.
  fileprivate static func lower() {
    var (old, isDone) = (state.load(ordering: .sequentiallyConsistent), false)
    while !isDone {
      (isDone, old) = state.weakCompareExchange(
        expected: old,
        desired: old < 4 ? 0 : old - 2,
        ordering: .sequentiallyConsistent
      )
    }
  }

  /// Records that a request was started whose response must be stored.
  package static func noteRequest() { state.bitwiseOr(1, ordering: .sequentiallyConsistent) }

  /// Whether the process must not end yet.
  package static var awaitsResponse: Bool {
    let state = state.load(ordering: .sequentiallyConsistent)
    return state > 1 && !state.isMultiple(of: 2)
  }

  package static var isUp: Bool { state.load(ordering: .sequentiallyConsistent) > 1 }

  /// How long shielded work may take after cancellation: a request, and storing its response.
  package static var maximumSeconds: Int64 { defaultRequestTimeout.components.seconds + 5 }

  /// Waits, even in a canceled task.
  package static func waitUntilDown() async {
    guard isUp else { return }
    await Task.detached {
      try? await withTimeout(.seconds(maximumSeconds)) { while isUp { try await Task.sleep(for: .milliseconds(20)) } }
    }.value
  }
}
