import TestSupport
import Testing

@Suite("interrupted sign-ins", .limitedConcurrency)
struct InterruptionTests {
  @Test(
    "a signal sets the exit status, closes the listener, and prints nothing to stdout",
    arguments: zip([SIGINT, SIGTERM], [Int32(130), 143])
  )
  func signals(signal: Int32, code: Int32) async throws {
    let fixture = try await ProviderMockFixture()
    let login = try await fixture.startLogin()
    #expect(login.probe.isOpen)
    login.child.signal(signal)
    #expect(try await login.child.end() == .exited(code))
    #expect(login.child.stdout.isEmpty, "\(login.child.stdout)")
    #expect(!login.child.stderr.contains("sign-in: canceled"), "\(login.child.stderr)")
    #expect(!login.probe.isOpen)
    // No lock is left behind: the next sign-in works.
    try await fixture.signIn()
  }

  @Test("a signal that was ignored at the start stays ignored, as nohup requires")
  func ignored() async throws {
    var fixture = try await ProviderMockFixture()
    fixture.runner.prefix = ["/bin/sh", "-c", #"trap "" HUP INT TERM; exec "$@""#, "sh"]
    let login = try await fixture.startLogin()
    for signal in [SIGHUP, SIGINT, SIGTERM] { login.child.signal(signal) }
    try await fixture.complete(login).expect(0)
  }

  @Test("a command that hangs in an uncancellable call still ends shortly after the signal")
  func hangs() async throws {
    var fixture = try await ProviderMockFixture.signedIn()
    // Like a network file system whose server doesn't respond.
    let library = try await PreloadedLibrary(PreloadedLibrary.endlessLocks, in: fixture.home)
    fixture.runner.environment = library.environment
    let child = try fixture.start(["token", "--force-refresh"])
    _ = try await child.stderrLine("sign of the hang") { $0 == "hangs" ? true : nil }
    child.signal(SIGTERM)
    #expect(try await child.end() == .exited(143))
    #expect(child.stdout.isEmpty, "\(child.stdout)")
  }

  @Test("a closed output pipe ends msauth without a crash")
  func brokenPipe() async throws {
    var fixture = try await ProviderMockFixture.signedIn()
    fixture.runner.prefix = ["/bin/sh", "-c", #""$@" | true; echo done"#, "sh"]
    try await fixture.run("token").expect(0, stdout: "done\n", lacks: "Fatal")
  }
}
