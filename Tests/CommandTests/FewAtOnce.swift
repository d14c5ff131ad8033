import Testing

/// Lets few tests run at a time.
///
/// Swift Testing starts all tests at once. Each of these runs a provider and several programs of its own, and what a
/// machine with two processors does for sixty of them at once takes each of them longer than any sensible deadline.
struct FewAtOnce: SuiteTrait, TestTrait, TestScoping {
  /// Twice the processors of the smallest machine: while one waits, another one works.
  private static let turnstile = Turnstile(places: 4)

  var isRecursive: Bool { true }

  func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @Sendable () async throws -> Void
  ) async throws {
    await Self.turnstile.enter()
    do {
      try await function()
    } catch {
      await Self.turnstile.leave()
      throw error
    }
    await Self.turnstile.leave()
  }
}

extension Trait where Self == FewAtOnce {
  /// Lets few tests run at a time.
  static var fewAtOnce: FewAtOnce { FewAtOnce() }
}

/// Lets as many through as it has places, the others in the order of their coming.
private actor Turnstile {
  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(places: Int) {
    free = places
  }

  func enter() async {
    if free > 0 {
      free -= 1
    } else {
      await withCheckedContinuation { waiting.append($0) }
    }
  }

  func leave() {
    if waiting.isEmpty {
      free += 1
    } else {
      waiting.removeFirst().resume()
    }
  }
}
