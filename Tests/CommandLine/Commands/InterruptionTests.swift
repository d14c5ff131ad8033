import TestSupport
import Testing

@Suite("interrupted sign-ins", .limitedConcurrency)
struct InterruptionTests {
  @Test(
    "a signal sets the exit code, closes the listener, and prints nothing to stdout",
    arguments: zip([SIGINT, SIGTERM], [Int32(130), 143])
  )
  func signals(signal: Int32, code: Int32) async throws {
    let fixture = try await ProviderMockFixture()
    let login = try await fixture.startLogin()
    #expect(login.probe.isOpen)
    login.child.signal(signal)
    #expect(try await login.child.end() == .exited(code))
    #expect(login.child.stdout.isEmpty, "\(login.child.stdout)")
    #expect(!login.child.stderr.contains("(with:)"), "\(login.child.stderr)")
    #expect(!login.probe.isOpen)
    // No lock is left behind: the next sign-in works.
    try await fixture.signIn()
  }

  @Test(
    "a signal that was ignored at the start stays ignored, as nohup requires",
    arguments: [SIGHUP, SIGINT, SIGTERM]
  )
  func ignored(signal: Int32) async throws {
    let fixture = try await ProviderMockFixture()
    let login = try await PendingLogin(
      ChildProcess(
        ["/bin/sh", "-c", #"trap "" HUP INT TERM; exec "$@""#, "sh", try BuiltProducts.msauth, "login"]
          + fixture.identity + ["--scope", "openid", "--no-browser"],
        environment: fixture.home.environment
      )
    )
    login.child.signal(signal)
    let outcome = try await fixture.complete(login)
    #expect(outcome.code == 0, "\(outcome)")
  }

  @Test("a command that hangs in an uncancellable call still ends shortly after the signal")
  func hangs() async throws {
    let fixture = try await ProviderMockFixture.signedIn()
    // Like a network file system whose server doesn't respond.
    let library = try await PreloadedLibrary(PreloadedLibrary.endlessLocks, in: fixture.home)
    let runner = CommandRunner(home: fixture.home, environment: library.environment)
    let child = try runner.start(["token", "--force-refresh"] + fixture.identity)
    _ = try await child.stderrLine("sign of the hang") { $0 == "hangs" ? true : nil }
    child.signal(SIGTERM)
    #expect(try await child.end() == .exited(143))
    #expect(child.stdout.isEmpty, "\(child.stdout)")
  }

  @Test("a closed output pipe ends msauth without a crash")
  func brokenPipe() async throws {
    let fixture = try await ProviderMockFixture.signedIn()
    let shell = try ChildProcess(
      ["/bin/sh", "-c", #""$@" | true; echo done"#, "sh", try BuiltProducts.msauth, "token"] + fixture.identity,
      environment: fixture.home.environment
    )
    #expect(try await shell.end() == .exited(0))
    #expect(shell.stdout == "done\n" && !shell.stderr.contains("Fatal"), "\(shell.stderr)")
  }
}
