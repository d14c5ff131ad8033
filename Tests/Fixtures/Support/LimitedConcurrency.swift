package import Testing

extension ConcurrencyLimiter {
  /// The places for tests that run a provider, a browser or several programs of their own.
  ///
  /// Swift Testing starts all tests at once; what sixty providers do at a time takes each of them longer than any
  /// sensible deadline. While one test waits, another one works: hence more places than processors.
  package static let processes = ConcurrencyLimiter(places: max(4, 3 * ProcessInfo.processInfo.activeProcessorCount))
}

/// Runs each test of a suite in one of the places of ``ConcurrencyLimiter/processes``.
///
/// What a suite hands on to its tests has to be a trait of tests, too.
package struct LimitedConcurrency: SuiteTrait, TestTrait, TestScoping {
  /// Whether its tests go before those that wait.
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

  /// Runs few tests at a time, these before all others: a suite whose tests run one after another would come last, and
  /// alone, if each of them had to queue.
  package static var limitedConcurrencyFirst: LimitedConcurrency { LimitedConcurrency(isUrgent: true) }
}
