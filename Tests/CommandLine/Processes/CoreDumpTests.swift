import TestSupport
import Testing

@Suite("process memory", .limitedConcurrency)
struct CoreDumpTests {
  private func end(by signal: String, _ command: [String], _ home: Home) async throws -> String {
    try home.write("#!/bin/sh\n: > ran\n", to: "dumps/swift-backtrace", mode: 0o755)
    return try await ChildProcess.output(
      of: ["/usr/bin/python3", BuiltProducts.fixture("core-dump.py"), signal, home.path("dumps")] + command,
      environment: home.environment
    )
  }

  @Test(
    "no core dump is written at any limit, other processes can't read the memory, and no crash handler starts",
    arguments: [("SIGSEGV", 11), ("SIGABRT", 6), ("SIGQUIT", 3)]
  )
  func noDump(signal: String, number: Int) async throws {
    let fixture = try await ProviderMockFixture()
    let command = [try BuiltProducts.msauth, "login"] + fixture.identity + ["--no-browser", "--timeout", "60"]
    #expect(try await end(by: signal, command, fixture.home) == "\(number) False hidden ['swift-backtrace']\n")
  }
}
