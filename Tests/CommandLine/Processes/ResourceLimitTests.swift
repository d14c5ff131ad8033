@testable import DemoProvider
import TestSupport
import Testing

@Suite("limits of the system", .limitedConcurrency)
struct ResourceLimitTests {
  @Test("too few open files are an error at the start, unless the limit may be raised")
  func openFiles() async throws {
    var fixture = try await DemoProviderFixture()
    fixture.runner.prefix = ["/usr/bin/prlimit", "--nofile=16"]
    try await fixture.run("token").expect(1, "only 16 open files")
    fixture.runner.prefix = ["/usr/bin/prlimit", "--nofile=16:1024"]
    try await fixture.signIn()
  }

  // One thread is for signals, another runs the command; a request has up to five more.
  @Test(
    "without threads for blocking work and for Swift's pool, a request is an error",
    .enabled(if: geteuid() == 0, "needs root to become another user"),
    arguments: [2, 3, 6]
  )
  func threads(count: Int) async throws {
    var fixture = try await DemoProviderFixture()
    // A user without other processes.
    let user = UInt32(12_100 + count)
    fixture.runner.prefix = ["/usr/bin/prlimit", "--nproc=\(count)"] + ChildProcess.becoming(user)
    // This user can't read the test's home.
    fixture.runner.prefix += ["/usr/bin/env", "-i", "HOME=/nonexistent"]
    try await fixture.runner.run("mcp", "login", "--no-browser", "http://127.0.0.1:9/mcp").expect(1, "any more threads")
  }
}
