import Synchronization

/// Runs work to its end even if the calling task is canceled, within a grace period.
package func withCancellationShield<Value: Sendable>(
  grace: Duration,
  _ work: @escaping @Sendable () async throws -> Value
) async throws(AuthenticationError) -> Value {
  CancellationShield.count.add(1, ordering: .sequentiallyConsistent)
  defer {
    if CancellationShield.count.subtract(1, ordering: .sequentiallyConsistent).newValue == 0 {
      CancellationShield.mustComplete.store(false, ordering: .sequentiallyConsistent)
    }
  }
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
  fileprivate static let count = Atomic<Int>(0)

  fileprivate static let mustComplete = Atomic<Bool>(false)

  /// Records that a request was started whose response must be stored.
  package static func noteRequest() { mustComplete.store(true, ordering: .sequentiallyConsistent) }

  /// Whether the process must not end yet.
  package static var awaitsResponse: Bool { isUp && mustComplete.load(ordering: .sequentiallyConsistent) }

  package static var isUp: Bool { count.load(ordering: .sequentiallyConsistent) > 0 }

  /// How long shielded work may take after cancellation: a response may take 30 s.
  package static var maximumSeconds: Int64 { 35 }

  /// Waits, even in a canceled task.
  package static func waitUntilDown() async {
    guard isUp else { return }
    await Task.detached {
      try? await withTimeout(.seconds(maximumSeconds)) { while isUp { try await Task.sleep(for: .milliseconds(20)) } }
    }.value
  }
}
