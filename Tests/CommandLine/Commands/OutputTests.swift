import TestSupport
import Testing

@Suite("output that other programs take", .fewAtOnce)
struct OutputTests {
  @Test("a username cannot leave its quotes in a shell, not even with a combining mark behind an apostrophe")
  func shell() async throws {
    let hostile = "mallory'\u{301}; touch PWNED; : '\u{301}"
    let bench = try await SignInBench([
      "--user-claims", #"{"sub": "mallory", "preferred_username": "\#(hostile)"}"#,
    ])
    try await bench.signIn(as: "mallory")
    let token = try await bench.run("token", "--output", "env")
    #expect(token.code == 0 && token.stdout.contains("MSAUTH_USERNAME="), "\(token)")
    let shell = try ChildProcess(
      ["/bin/sh", "-c", #"eval "$0"; printf %s "$MSAUTH_USERNAME""#, token.stdout],
      environment: ["PATH": "/usr/bin:/bin"],
      in: bench.home.path("home")
    )
    let outcome = try await bench.runner.outcome(of: shell)
    #expect(!bench.home.files(below: "home").contains("PWNED"), "\(outcome)")
    #expect(Array(outcome.stdout.utf8) == Array(hostile.utf8), "\(outcome)")
  }
}
