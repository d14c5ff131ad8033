import TestSupport
import Testing

/// Lets few tests run at a time.
///
/// Swift Testing starts all tests at once. Each of these runs a provider and several programs of its own, and what a
/// machine with two processors does for sixty of them at once takes each of them longer than any sensible deadline.
struct FewAtOnce: SuiteTrait, TestTrait, TestScoping {
  /// Twice the processors of the smallest machine: while one waits, another one works.
  private static let limiter = ConcurrencyLimiter(places: 4)

  var isRecursive: Bool { true }

  func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @Sendable () async throws -> Void
  ) async throws {
    try await Self.limiter.admit(function)
  }
}

extension Trait where Self == FewAtOnce {
  /// Lets few tests run at a time.
  static var fewAtOnce: FewAtOnce { FewAtOnce() }
}
