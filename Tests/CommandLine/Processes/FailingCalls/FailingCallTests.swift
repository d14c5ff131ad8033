import TestSupport
import Testing

@Suite("each call of the system on a file fails once, for good, and is once the last", .limitedConcurrencyFirst)
struct FailingCallTests {
  /// How many cases are tried of each step, drawn at random, or `all`.
  ///
  /// All of them take some minutes; `.ci/run` tries more than the few that stand for them in each run of the tests.
  static let wanted = ProcessInfo.processInfo.environment["MSAUTH_TEST_FAILING_CALLS"]

  @Test(
    "the store is whole, no session is lost, nothing is left, and the message names the cause",
    arguments: StoreScenario.Step.allCases
  )
  func store(step: StoreScenario.Step) async throws {
    // The last calls of a refresh may come after the refresh token was spent.
    try await StoreScenario(step).run(atMost: step == .refresh ? .max : 2)
  }

  @Test(
    "the configuration is the old one or the new one, what else it says is kept, and the message names the cause",
    arguments: ConfigurationScenario.Step.allCases
  )
  func configuration(step: ConfigurationScenario.Step) async throws {
    try await ConfigurationScenario(step).run(atMost: 2)
  }

  @Test("the command finds a whole token or is not started, and the token's file goes")
  func handingOver() async throws { try await HandoverScenario().run(atMost: 2) }
}

/// Something that is done again and again, each time with another call that fails.
protocol FailingCallScenario {
  var calls: FailingCalls { get }
  /// Whether the other programs that the step needs still run.
  var isIntact: Bool { get }

  /// The same scenario, with other programs.
  func renewed() async throws -> Self

  /// Makes the state in which the step makes sense.
  func prepare() async throws

  /// Performs the step; nil lets no call fail.
  func perform(_ one: FailingCalls.Case?) async throws -> CommandRunner.Outcome

  /// Looks at what the step said and left when a call failed.
  func check(_ one: FailingCalls.Case, _ outcome: CommandRunner.Outcome, _ comment: Comment) async throws
}

extension FailingCallScenario {
  var isIntact: Bool { true }

  func renewed() async throws -> Self { self }

  /// Lets calls of the step fail: as many as ``FailingCallTests/wanted`` says, or a few that stand for the others.
  func run(atMost few: Int) async throws {
    try await prepare()
    let unharmed = try await perform(nil)
    try #require(unharmed.code == 0, "\(unharmed)")
    let all = calls.cases
    try #require(!all.isEmpty)
    var scenario = self
    for one in Self.selection(of: all, atMost: few) {
      do {
        try await scenario.run(one)
      } catch {
        try await eventually("the end of a program, which alone excuses this: \(error)") {
          scenario.isIntact ? nil : ()
        }
      }
      guard !scenario.isIntact else { continue }
      scenario = try await scenario.renewed()
      try await scenario.run(one)
    }
  }

  private func run(_ one: FailingCalls.Case) async throws {
    try await prepare()
    let outcome = try await perform(one)
    guard isIntact else { return }
    // Which calls there are, and in which order, depends a little on the others of the machine, and on other threads.
    guard let failed = calls.calls.first(where: \.hasFailed) else { return }
    var one = one
    one.call = failed
    let comment: Comment = "\(one), \(SeededRandom.comment): \(outcome)"
    #expect((outcome.code == 128 + SIGKILL) == (one.kind == .kill), comment)
    try await check(one, outcome, comment)
  }

  private static func selection(of all: [FailingCalls.Case], atMost few: Int) -> [FailingCalls.Case] {
    var random = SeededRandom()
    switch FailingCallTests.wanted {
    case "all": return all
    case let number?: return Array(all.shuffled(using: &random).prefix(Int(number) ?? 0))
    case nil:
      let last = Dictionary(all.map { ($0.call.function, $0.call.number) }) { max($0, $1) }
      let those = all.filter { one in
        let isDeath = one.kind == .kill && ["rename", "unlink"].contains(one.call.function)
        return one.call.number == last[one.call.function] && !one.lasts
          && ([.disk, .peer].contains(one.kind) || isDeath)
      }
      return few >= those.count ? those : Array(those.shuffled(using: &random).prefix(few))
    }
  }
}
