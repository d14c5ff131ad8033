package import Testing

/// Lets as many through as it has places, the others in the order in which they came, urgent ones first.
///
/// All tests at once would keep a small machine so busy that sockets time out.
package actor ConcurrencyLimiter {
  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// - Parameter places: How many it lets through at a time.
  package init(places: Int) {
    free = places
  }

  /// Runs something as soon as there is a place, and gives the place back however that ends.
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
