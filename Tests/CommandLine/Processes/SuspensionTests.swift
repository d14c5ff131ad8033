@testable import DemoProvider
import Synchronization
import TestSupport
import Testing

@Suite("suspended processes", .limitedConcurrency)
struct SuspensionTests {
  /// Stops a process when the provider receives its token request.
  private final class RefreshSuspension: Sendable {
    let process = Mutex<pid_t?>(nil)
    func suspend(at request: RecordedRequest) {
      guard request["grant_type"] == "refresh_token" else { return }
      process.withLock { process in
        if let process { kill(process, SIGSTOP) }
        process = nil
      }
    }
  }

  private func signedIn(_ suspension: RefreshSuspension) async throws -> DemoProviderFixture {
    var options = DemoOptions(rotates: true)
    options.onRequest = suspension.suspend
    return try await DemoProviderFixture(options, signedIn: "ada")
  }

  /// Starts a command, and waits until it was stopped at its token request.
  private func startSuspended(
    _ arguments: [String],
    _ fixture: DemoProviderFixture,
    _ suspension: RefreshSuspension
  ) async throws -> ChildProcess {
    // The request waits for this lock.
    let child = try suspension.process.withLock { process in
      let child = try fixture.start(arguments)
      process = child.pid
      return child
    }
    try await eventually("the process's stop") { isStopped(child.pid) }
    return child
  }

  private func isStopped(_ process: pid_t) -> Bool {
    let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    return status?.split(separator: ")").last?.split(separator: " ").first == "T"
  }

  /// Signals a process's main thread with tgkill(2), which Swift's Glibc lacks.
  private func signalThread(_ process: pid_t, _ number: Int32) throws {
    typealias Call = @convention(c) (pid_t, pid_t, Int32) -> Int32
    let call = unsafeBitCast(try #require(dlsym(nil, "tgkill")), to: Call.self)
    #expect(call(process, process, number) == 0)
  }

  @Test("a lock owner suspended during its request keeps the lock, and it and the waiting process continue")
  func stopped() async throws {
    let stop = RefreshSuspension()
    let fixture = try await signedIn(stop)
    try fixture.expireAccessTokens()
    await fixture.provider.forgetRecord()

    let owner = try await startSuspended(["token"], fixture, stop)
    let waiters = try (0..<3).map { _ in try fixture.start(["token"]) }
    let lockFile = fixture.home.path(Home.cacheFile + ".lockfile")
    try await eventually("the lock") { FileManager.default.fileExists(atPath: lockFile) }
    waiters[0].signal(SIGSTOP)
    try await eventually("the waiter's stop") { isStopped(waiters[0].pid) }
    #expect(([owner] + waiters).allSatisfy { $0.ending == nil })
    #expect(await fixture.grants() == ["refresh_token"])

    owner.signal(SIGCONT)
    var tokens: Set<String> = []
    for child in [owner] + waiters.dropFirst() {
      tokens.insert(try await fixture.runner.outcome(of: child).expect(0).stdout)
    }
    waiters[0].signal(SIGCONT)
    let last = try await fixture.runner.outcome(of: waiters[0])
    #expect(last.code == 0 && tokens == [last.stdout], "\(last)")
    #expect(await fixture.grants() == ["refresh_token"])
    try await fixture.run("token", "--force-refresh").expect(0)
  }

  @Test(
    "if two signals arrive during the token request, the new refresh token is stored first",
    arguments: [(SIGHUP, SIGHUP), (SIGTERM, SIGHUP), (SIGINT, SIGINT)]
  )
  func twoSignals(first: Int32, second: Int32) async throws {
    let stop = RefreshSuspension()
    let fixture = try await signedIn(stop)
    let child = try await startSuspended(["token", "--force-refresh"], fixture, stop)
    // Both are pending, so they arrive together; process and thread can each queue one of the same number.
    child.signal(first)
    try signalThread(child.pid, second)
    child.signal(SIGCONT)
    let ending = try await child.end()
    #expect([first, second].map { .exited(128 + $0) }.contains(ending), "\(ending) \(child.stderr)")
    #expect(fixture.home.files(below: "state/msauth") == ["token_cache.json"])
    try await fixture.run("token", "--force-refresh").expect(0)
  }
}
