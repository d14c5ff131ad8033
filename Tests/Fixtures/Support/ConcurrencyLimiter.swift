package import Testing

/// Limits how many tasks run at a time, in order of arrival, urgent ones first.
///
/// With all tests at once, sockets would time out on a small machine.
package actor ConcurrencyLimiter {
  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  package init(places: Int) {
    free = places
  }

  /// Runs a body as soon as the limit allows.
  nonisolated package func admit<Value>(
    isUrgent: Bool = false,
    _ body: () async throws -> Value
  ) async rethrows -> Value {
    await enter(isUrgent)
    do {
      let value = try await body()
      await leave()
      return value
    } catch {
      await leave()
      throw error
    }
  }

  private func enter(_ isUrgent: Bool) async {
    if free > 0 {
      free -= 1
    } else {
      await withCheckedContinuation { waiting.insert($0, at: isUrgent ? 0 : waiting.endIndex) }
    }
  }

  private func leave() {
    if waiting.isEmpty {
      free += 1
    } else {
      waiting.removeFirst().resume()
    }
  }
}

extension ConcurrencyLimiter {
  /// For tests with their own provider, browser or several programs, which mostly wait: hence more than processors.
  package static let processes = ConcurrencyLimiter(places: max(4, 3 * ProcessInfo.processInfo.activeProcessorCount))
}

/// Runs each test of a suite within the limit of ``ConcurrencyLimiter/processes``.
package struct LimitedConcurrency: SuiteTrait, TestTrait, TestScoping {
  /// Whether its tests run before others.
  fileprivate var isUrgent = false

  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @Sendable () async throws -> Void
  ) async throws {
    try await ConcurrencyLimiter.processes.admit(isUrgent: isUrgent, function)
  }
}

extension Trait where Self == LimitedConcurrency {
  /// Runs few tests at a time.
  package static var limitedConcurrency: LimitedConcurrency { LimitedConcurrency() }

  /// Runs few tests at a time, these first: a serialized suite would otherwise finish last.
  package static var limitedConcurrencyFirst: LimitedConcurrency { LimitedConcurrency(isUrgent: true) }
}
