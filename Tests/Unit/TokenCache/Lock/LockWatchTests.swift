import MSAuthUnix
import Synchronization
import TestSupport
import Testing

@testable import MSAuthCache

@Suite("taking over locks")
struct LockWatchTests {
  private let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  final class Stopwatch: Sendable {
    private let time = Mutex(SuspendingClock.now)
    var read: @Sendable () -> SuspendingClock.Instant { { [self] in time.withLock { $0 } } }
    func advance(by duration: Duration) { time.withLock { $0 += duration } }
  }

  @Test(
    "a crashed process's lock is taken over, a possibly running one's isn't, whatever the clock",
    arguments: [
      ("one of ours that died", "GONE msauth (flock BOOT NAMESPACE 1 HOST)", .zero),
      ("one of ours whose ID was given again", "PARENT az (flock BOOT NAMESPACE 1 HOST)", .zero),
      ("one of ours that lives, whose flock is not seen here", "PARENT az (flock BOOT NAMESPACE START HOST)", nil),
      ("one of ours in another container", "GONE az (flock BOOT 1 1 HOST)", LockFile.foreignOwnerGrace),
      ("one of ours from before a reboot", "GONE az (flock 0-0 NAMESPACE 1 HOST)", LockFile.foreignOwnerGrace),
      ("one of ours on another machine", "GONE az (flock 0-0 NAMESPACE 1 other.example)", LockFile.otherMachineGrace),
      (
        "one of another machine whose ID is that of a process here",
        "PARENT az (flock 0-0 NAMESPACE START other.example)",
        LockFile.otherMachineGrace
      ),
      ("a dead owner, or another process", "GONE python", LockFile.foreignOwnerGrace),
      ("an empty file", "", LockFile.unnamedOwnerGrace), ("garbage", "\u{1}\u{2}", LockFile.unnamedOwnerGrace),
      ("our own id, of another", "SELF python", LockFile.pidReuseGrace),
      ("a living process", "PARENT sh", nil),
    ] as [(String, String, Duration?)],
    // Written now, a day ago (clock set forward, or suspended), or a day ahead (clock set back).
    [0, 86_400, -86_400]
  )
  func abandoned(_ found: (owner: String, content: String, grace: Duration?), _ seconds: Int) async throws {
    let gone = try await ChildProcess.endedPID()
    let own = ProcessIdentity.current
    let content = found.content.replacing("GONE", with: "\(gone)").replacing("SELF", with: "\(getpid())")
      .replacing("PARENT", with: "\(getppid())").replacing("BOOT", with: own.boot ?? "-")
      .replacing("NAMESPACE", with: own.namespace ?? "-").replacing("HOST", with: own.host)
      .replacing("START", with: "\(try #require(ProcessIdentity.startTicks(of: getppid())))")
    try fixture.write(content, to: fixture.lockPath)
    try fixture.ageLock(by: seconds)
    let watch = Stopwatch()
    let file = LockFile(path: fixture.lockPath, now: watch.read)
    var grace = found.grace
    // The process seems to have started after it wrote the file, so the file is watched first.
    if grace == nil, !content.contains("(flock"), seconds == 86_400,
      try #require(LockOwner.startTime(of: getppid())) > Int(time(nil)) - 86_000
    {
      grace = LockFile.pidReuseGrace
    }

    for step in [.zero, (grace ?? .seconds(86_400)) - .milliseconds(1)] where step >= .zero && grace != .zero {
      watch.advance(by: step)
      let error = await #expect(throws: AuthenticationError.self) { try await file.acquire(within: .zero) }
      #expect(error?.reason == .locked)
      #expect(try fixture.read(fixture.lockPath) == content, "the file is unchanged")
    }
    guard let grace else { return }
    if grace > .zero { watch.advance(by: .milliseconds(1)) }
    try await file.acquire(within: .zero).release()
    #expect(try fixture.names() == [])
  }

  @Test("a replaced or modified lock file is watched again from the start")
  func watchedAnew() async throws {
    let watch = Stopwatch()
    let file = LockFile(path: fixture.lockPath, now: watch.read)
    for content in ["", "\(try await ChildProcess.endedPID()) python", "\(try await ChildProcess.endedPID()) node"] {
      try fixture.write(content, to: fixture.lockPath)
      for step in [.zero, LockFile.foreignOwnerGrace - .milliseconds(1)] {
        watch.advance(by: step)
        let error = await #expect(throws: AuthenticationError.self) { try await file.acquire(within: .zero) }
        #expect(error?.reason == .locked)
      }
    }
    watch.advance(by: .milliseconds(1))
    try await file.acquire(within: .zero).release()
  }

  @Test("a lock file on another file system is a different one, even with the same inode, size and date")
  func anotherFileSystem() throws {
    try fixture.write("", to: fixture.lockPath)
    var status = stat()
    try #require(lstat(fixture.lockPath, &status) == 0)
    let (watch, now) = (LockWatch(), SuspendingClock.now)
    #expect(watch.age(of: fixture.lockPath, status, now: now) == .zero)
    #expect(watch.age(of: fixture.lockPath, status, now: now + .seconds(2)) == .seconds(2))
    status.st_dev += 1
    #expect(watch.age(of: fixture.lockPath, status, now: now + .seconds(3)) == .zero)
  }

  @Test("the timeout excludes the time while the machine is suspended")
  func sleepingMachine() async throws {
    let watch = Stopwatch()
    let file = LockFile(path: fixture.lockPath, now: watch.read)
    let first = try await file.acquire(within: .zero)
    let waiting = Task { try await file.acquire(within: .milliseconds(1)) }
    // Longer than its timeout by every clock except the stopped one.
    try await Task.sleep(for: .milliseconds(200))
    await first.release()
    let second = try await waiting.value
    let time = Task {
      while !Task.isCancelled {
        watch.advance(by: .seconds(600))
        try await Task.sleep(for: .milliseconds(5))
      }
    }
    let error = await #expect(throws: AuthenticationError.self) { try await file.acquire(within: .seconds(3600)) }
    #expect(error?.reason == .locked)
    time.cancel()
    await second.release()
  }
}
