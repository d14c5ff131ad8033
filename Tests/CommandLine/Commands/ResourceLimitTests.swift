import DemoProvider
import TestSupport
import Testing

@Suite("limits of the system", .limitedConcurrency)
struct ResourceLimitTests {
  @Test("too few open files are an error at the start, unless the limit may be raised")
  func openFiles() async throws {
    var fixture = try await DemoProviderFixture()
    fixture.runner.prefix = ["/usr/bin/prlimit", "--nofile=16"]
    let refused = try await fixture.run("token")
    #expect(refused.code == 1 && refused.stderr.contains("only 16 open files"), "\(refused)")
    fixture.runner.prefix = ["/usr/bin/prlimit", "--nofile=16:1024"]
    try await fixture.signIn()
  }

  @Test(
    "without a free thread, a request is an error",
    .enabled(if: geteuid() == 0, "needs root to become another user")
  )
  func threads() async throws {
    var fixture = try await DemoProviderFixture()
    // A user without other processes; one thread is for signals, the other runs the command.
    fixture.runner.prefix = ["/usr/bin/prlimit", "--nproc=2"] + ChildProcess.becoming(12_003)
    fixture.runner.environment["HOME"] = "/nonexistent"
    let outcome = try await fixture.runner.run("mcp", "login", "http://127.0.0.1:9/mcp")
    #expect(outcome.code == 1 && outcome.stderr.contains("no more threads"), "\(outcome)")
  }
}
