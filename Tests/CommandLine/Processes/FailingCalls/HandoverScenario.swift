import TestSupport
import Testing

/// `msauth exec` passes a token in a file.
struct HandoverScenario: FailingCallScenario {
  let fixture: DemoProviderFixture
  let calls: FailingCalls
  private let token: String

  init() async throws {
    fixture = try await DemoProviderFixture()
    calls = try await FailingCalls(below: ["run"], in: fixture.home)
    try await fixture.signIn()
    token = try await fixture.run("token").stdout
  }

  func prepare() async throws {}

  func perform(_ one: FailingCalls.Case?) async throws -> CommandRunner.Outcome {
    var fixture = fixture
    fixture.runner.environment = calls.environment(one)
    return try await fixture.run("exec", "--", "sh", "-c", #"exec cat "$MSAUTH_TOKEN_FILE""#)
  }

  func check(_ one: FailingCalls.Case, _ outcome: CommandRunner.Outcome, _ comment: Comment) async throws {
    #expect(outcome.code == 0 ? outcome.stdout == token : outcome.stdout.isEmpty, comment)
    if one.kind != .kill, outcome.code != 0 {
      #expect(outcome.code == 1 || outcome.code == 78, comment)
      #expect(outcome.stderr.contains(fixture.home.path("run")), comment)
      #expect(one.kind.words.contains { outcome.stderr.contains($0) }, comment)
    }
    // The next run works, and removes leftovers.
    let next = try await perform(nil)
    #expect(next.code == 0 && next.stdout == token, "\(comment): \(next)")
    try await eventually("the file's removal, \(comment)") { fixture.home.files(below: "run/msauth/exec").isEmpty }
  }
}
