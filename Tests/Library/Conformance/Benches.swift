import TestSupport
import Testing

extension ConcurrencyLimiter {
  /// The places for tests that run a provider of their own.
  static let benches = ConcurrencyLimiter(places: 6)
}

/// Gives each test of a suite a place for its provider.
///
/// What a suite hands on to its tests has to be a trait of tests, too.
struct OnABench: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @Sendable () async throws -> Void
  ) async throws {
    try await ConcurrencyLimiter.benches.admit(function)
  }
}

extension Trait where Self == OnABench {
  /// Gives each test of the suite a place for its provider.
  static var onABench: OnABench { OnABench() }
}
