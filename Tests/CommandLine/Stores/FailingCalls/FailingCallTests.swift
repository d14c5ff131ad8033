import TestSupport
import Testing

@Suite("every file system call fails once, fails for good, or is the last before a kill", .limitedConcurrencyFirst)
struct FailingCallTests {
  /// How many random cases of each step to run, or `all`, which takes minutes; `.ci/run` runs more than the default.
  fileprivate static let wanted = ProcessInfo.processInfo.environment["MSAUTH_TEST_FAILING_CALLS"]

  @Test(
    "stores stay valid, no session is lost, no file is left, and the message names the cause",
    arguments: StoreScenario.Step.allCases
  )
  func store(step: StoreScenario.Step) async throws {
    // A refresh's last calls may follow the use of the refresh token.
    try await StoreScenario(step).run(atMost: step == .refresh ? .max : 1)
  }

  @Test("where no disk space can be reserved, the journal's is written and synchronized at once")
  func unreservedSpace() async throws {
    let scenario = try await StoreScenario(.refresh)
    try await scenario.prepare()
    try await scenario.perform(nil).expect(0)
    let cases = scenario.calls.cases
    let one = try #require(cases.first { $0.kind == .unsupported && $0.call.file.hasSuffix(".journal") })
    try await scenario.perform(one).expect(0)
    let next = scenario.calls.calls.drop { !$0.hasFailed }.dropFirst().prefix(2)
    #expect(next.map(\.function) == ["write", "fsync"] && next.allSatisfy { $0.file == one.call.file })
  }
}

extension StoreScenario {
  /// Runs ``FailingCallTests/wanted`` cases, or a few of them, with a different failing call each time.
  fileprivate func run(atMost few: Int) async throws {
    try await prepare()
    let undisturbed = try await perform(nil)
    try #require(undisturbed.code == 0, "\(undisturbed)")
    let all = calls.cases
    try #require(!all.isEmpty)
    var scenario = self
    let (candidates, count) = Self.selection(of: all, atMost: few)
    var failures = 0
    for one in candidates where failures < count {
      do {
        if try await scenario.run(one) { failures += 1 }
      } catch {
        try await eventually("a program's end, the only excuse for: \(error)") { !scenario.isIntact }
      }
      guard !scenario.isIntact else { continue }
      scenario = try await StoreScenario(step)
      if try await scenario.run(one) { failures += 1 }
    }
    #expect(failures > 0, "\(SeededRandom.comment): \(candidates)")
  }

  /// Returns whether the call failed: the calls and their order vary slightly between runs.
  private func run(_ one: FailingCalls.Case) async throws -> Bool {
    try await prepare()
    let outcome = try await perform(one)
    guard isIntact, let failed = calls.calls.first(where: \.hasFailed) else { return false }
    var one = one
    one.call = failed
    let comment: Comment = "\(one), \(SeededRandom.comment): \(outcome)"
    #expect((outcome.code == 128 + SIGKILL) == (one.kind == .kill), comment)
    try await check(one, outcome, comment)
    return true
  }

  /// The cases to run, in order, and how many of them must have had a failing call before the others are left out.
  private static func selection(
    of all: [FailingCalls.Case],
    atMost few: Int
  ) -> (candidates: [FailingCalls.Case], count: Int) {
    var random = SeededRandom()
    switch FailingCallTests.wanted {
    case "all": return (all, all.count)
    case let number?: return (all.shuffled(using: &random), Int(number) ?? 0)
    case nil:
      let last = Dictionary(all.map { ($0.call.function, $0.call.number) }) { max($0, $1) }
      let chosen = all.filter { one in
        let isDeath = one.kind == .kill && ["rename", "unlink"].contains(one.call.function)
        return one.call.number == last[one.call.function] && !one.lasts
          && ([.disk, .peer].contains(one.kind) || isDeath)
      }
      return (chosen.shuffled(using: &random), few)
    }
  }
}
