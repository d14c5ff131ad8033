@testable import DemoProvider
import TestSupport
import Testing

@Suite("sign-in notifications", .limitedConcurrency)
struct NotificationTests {
  private let fixture: DemoProviderFixture

  init() async throws { fixture = try await DemoProviderFixture() }

  /// Starts `msauth token --notify` with a notify-send(1) that records its arguments.
  private func token(notifySend script: String?, _ arguments: String...) throws -> ChildProcess {
    if let script {
      let text = "printf '%s\\n' \"$@\" > '\(fixture.home.path("shown"))'\n\(script)"
      try fixture.home.script(text, to: "bin/notify-send")
    }
    var fixture = fixture
    fixture.runner.environment["PATH"] = fixture.home.path("bin")
    return try fixture.start(["token", "--notify", "--quiet"] + arguments)
  }

  @Test("the notification's button starts the sign-in, and the token is printed")
  func accepted() async throws {
    let outcome = try await fixture.complete(token(notifySend: "echo sign-in", "--account", ada))
    #expect(outcome.code == 0 && outcome.stdout.hasPrefix("demo-at-"), "\(outcome)")
    let shown = try #require(fixture.home.read("shown")).split(separator: "\n")
    #expect(shown.contains("--action=sign-in=Sign in") && shown.contains("Sign in as ada@contoso.example"), "\(shown)")
  }

  @Test(
    "if a notification is closed, rejected, or can't be shown, the command exits 2 without a browser",
    arguments: ["exit 0", "echo no >&2; exit 1", nil]
  )
  func closed(script: String?) async throws {
    let outcome = try await fixture.runner.outcome(of: token(notifySend: script))
      .expect(2, stdout: "", lacks: "/authorize?")
    #expect(outcome.stderr.contains("no notification can be shown") == (script != "exit 0"), "\(outcome)")
  }

  @Test("before libnotify 0.8, which has no buttons, the notification names the command")
  func withoutButton() async throws {
    let old = #"case "$*" in *--action*) echo "Unknown option --action=sign-in=Sign in" >&2; exit 1;; esac"#
    try await fixture.runner.outcome(of: token(notifySend: old)).expect(2, lacks: "no notification can be shown")
    #expect(fixture.home.read("shown")?.contains("Run msauth login in a terminal.") == true)
  }

  @Test("another process's sign-in ends the wait, and the token is printed without a browser")
  func signedInElsewhere() async throws {
    let child = try token(notifySend: "exec /bin/sleep 1000")
    _ = try await eventually("the notification") { fixture.home.read("shown") }
    try await fixture.signIn()
    let outcome = try await fixture.runner.outcome(of: child)
    #expect(outcome.code == 0 && outcome.stdout.hasPrefix("demo-at-"), "\(outcome)")
    #expect(!outcome.stderr.contains("http"), "\(outcome)")
  }

  @Test("an interruption while a notification is shown isn't a usage error")
  func interrupted() async throws {
    let child = try token(notifySend: "exec /bin/sleep 1000", "--json")
    _ = try await eventually("the notification") { fixture.home.read("shown") }
    child.signal(SIGINT)
    try await fixture.runner.outcome(of: child).expect(130, stderr: "", output: #""code":"canceled""#, lacks: "usage")
  }

  @Test("a notification isn't shown if a token is available silently")
  func silent() async throws {
    try await fixture.signIn()
    let outcome = try await fixture.runner.outcome(of: token(notifySend: "echo sign-in"))
    #expect(outcome.code == 0 && fixture.home.read("shown") == nil, "\(outcome)")
  }
}
