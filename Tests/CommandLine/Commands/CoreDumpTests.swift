import TestSupport
import Testing

@Suite("process memory", .limitedConcurrency)
struct CoreDumpTests {
  /// Starts a program by `PATH` without a core size limit, waits for its first line, kills it, and prints whether the
  /// kernel dumped its core, and the directory's files.
  private static let script = #"""
    import os, resource, signal, subprocess, sys
    number, folder, command = getattr(signal, sys.argv[1]), sys.argv[2], sys.argv[3:]
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
    child = subprocess.Popen(
        ["msauth"] + command[1:], executable=command[0], cwd=folder, stdin=subprocess.PIPE, stderr=subprocess.PIPE
    )
    child.stderr.readline()
    memory = "hidden"
    if os.geteuid() != 0:
        try:
            open(f"/proc/{child.pid}/mem", "rb").close()
            memory = "open"
        except PermissionError:
            pass
    os.kill(child.pid, number)
    status = os.waitpid(child.pid, 0)[1]
    print(os.WTERMSIG(status), os.WCOREDUMP(status), memory, os.listdir(folder))
    """#

  private func end(by signal: String, _ command: [String], _ home: Home) async throws -> String {
    try home.write("#!/bin/sh\n: > ran\n", to: "dumps/swift-backtrace", mode: 0o755)
    return try await ChildProcess.output(
      of: ["/usr/bin/python3", "-c", Self.script, signal, home.path("dumps")] + command,
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
    let ending = try await end(by: signal, command, fixture.home)
    #expect(ending == "\(number) False hidden ['swift-backtrace']\n")
  }
}
