import TestSupport
import Testing

@Suite("output that other programs take", .limitedConcurrency)
struct OutputTests {
  @Test("a username cannot leave its quotes in a shell, not even with a combining mark behind an apostrophe")
  func shell() async throws {
    let hostile = "mallory'\u{301}; touch PWNED; : '\u{301}"
    let fixture = try await ProviderMockFixture([
      "--user-claims", #"{"sub": "mallory", "preferred_username": "\#(hostile)"}"#,
    ])
    try await fixture.signIn(as: "mallory")
    let token = try await fixture.run("token", "--output", "env")
    #expect(token.code == 0 && token.stdout.contains("MSAUTH_USERNAME="), "\(token)")
    let shell = try ChildProcess(
      ["/bin/sh", "-c", #"eval "$0"; printf %s "$MSAUTH_USERNAME""#, token.stdout],
      environment: ["PATH": "/usr/bin:/bin"],
      in: fixture.home.path("home")
    )
    let outcome = try await fixture.runner.outcome(of: shell)
    #expect(!fixture.home.files(below: "home").contains("PWNED"), "\(outcome)")
    #expect(Array(outcome.stdout.utf8) == Array(hostile.utf8), "\(outcome)")
  }
}
