import Foundation
import Glibc
import Synchronization
import Testing

@testable import TokenCache

@Suite("The lock")
struct LockFileTests {
  /// The error of a wait that must fail.
  private func refusal(_ scene: Scene, within patience: Duration = .milliseconds(200)) async -> TokenCacheError? {
    do throws(TokenCacheError) {
      try await scene.store.lock(within: patience).release()
      Issue.record("the lock was given")
      return nil
    } catch {
      return error
    }
  }

  /// Makes a lock file look as if it had been written long ago.
  private func age(_ scene: Scene, by seconds: Int) {
    let then = timeval(tv_sec: time(nil) - seconds, tv_usec: 0)
    _ = [then, then].withUnsafeBufferPointer { utimes(scene.lockPath, $0.baseAddress) }
  }

  /// A clock that a test moves.
  final class Stopwatch: Sendable {
    private let time = Mutex<Duration>(.zero)
    var read: @Sendable () -> Duration { { [self] in time.withLock { $0 } } }
    func advance(by duration: Duration) { time.withLock { $0 += duration } }
  }

  /// The id of a process that is gone.
  private func goneProcess() async throws -> pid_t {
    let child = try Child("true", [])
    let process = child.id
    _ = await child.end()
    return process
  }

  @Test("it names us while held, and is gone when released or forgotten")
  func holding() async throws {
    let scene = try Scene()
    let lock = try await scene.store.lock(within: .seconds(5))
    #expect(try scene.read(scene.lockPath).hasPrefix("\(getpid()) "))
    lock.release()
    lock.release()
    #expect(try scene.names() == [])
    do { _ = try await scene.store.lock(within: .seconds(5)) }
    #expect(try scene.names() == [])
  }

  @Test("two tasks of one process exclude each other; the deadline names process and file")
  func deadline() async throws {
    let scene = try Scene()
    let lock = try await scene.store.lock(within: .seconds(5))
    let error = await refusal(scene)
    #expect(error?.kind == .locked && error?.hint != nil)
    #expect(error?.message.contains("process \(getpid()) ") == true)
    #expect(error?.message.contains(scene.lockPath) == true)
    lock.release()
    try await scene.store.lock(within: .zero).release()
  }

  @Test("a cancelled wait ends at once")
  func cancellation() async throws {
    let scene = try Scene()
    let lock = try await scene.store.lock(within: .seconds(5))
    let waiting = Task { try await scene.store.lock(within: .seconds(300)) }
    waiting.cancel()
    let error = await #expect(throws: TokenCacheError.self) { try await waiting.value }
    #expect(error?.kind == .locked)
    #expect(error?.message.contains("cancelled") == true)
    lock.release()
  }

  @Test("a living owner that only created the file, as MSAL Python does, is waited for, and named")
  func exclusiveOwner() async throws {
    let scene = try Scene()
    let script = """
      import os, sys, time
      with open(sys.argv[1], 'xb', buffering=0) as f:
          f.write(b'%d python' % os.getpid()); print('held', flush=True); time.sleep(600)
      """
    let owner = try Child("python3", ["-c", script, scene.lockPath])
    #expect(await owner.line() == "held")
    // Also when the clock is set forward meanwhile, and the owner so seems to have started after it made the file.
    for seconds in [1, 86_400] {
      age(scene, by: seconds)
      let error = await refusal(scene)
      #expect(error?.message.contains("process \(owner.id) ") == true)
    }
    owner.kill()
    _ = await owner.end()
    try await scene.store.lock(within: .seconds(20)).release()
  }

  @Test("an owner that only has the flock, as Go and .NET do, is waited for, even if its id means nobody here")
  func flockOwner() async throws {
    let scene = try Scene()
    let gone = try await goneProcess()
    try scene.write("\u{FEFF}\(gone) dotnet\n", to: scene.lockPath)
    age(scene, by: 3600)
    let owner = try Child("flock", [scene.lockPath, "sh", "-c", "echo held; exec sleep 600"])
    #expect(await owner.line() == "held")
    #expect(await refusal(scene)?.kind == .locked)
    let lock = Task { try await scene.store.lock(within: .seconds(60)) }
    // `flock` gives its descriptor on to the command, so both must go.
    _ = try await Child.run("pkill", ["-KILL", "-P", "\(owner.id)"])
    owner.kill()
    _ = await owner.end()
    try await lock.value.release()
  }

  struct Remains: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var content: String
    /// How long it is watched until it is taken over; nil when it never is.
    var grace: Duration?
  }

  @Test(
    "what a crashed process left is taken over, what may be a living one's is not; what the clock says is no matter",
    arguments: [
      Remains(testDescription: "one of ours that died", content: "GONE msauth (flock)", grace: .zero),
      Remains(testDescription: "one of ours whose id was given again", content: "PARENT az (flock)", grace: .zero),
      Remains(testDescription: "a dead owner, or a stranger", content: "GONE python", grace: LockFile.strangersGrace),
      Remains(testDescription: "nobody", content: "", grace: LockFile.namelessGrace),
      Remains(testDescription: "garbage", content: "\u{1}\u{2}", grace: LockFile.namelessGrace),
      Remains(testDescription: "our own id, of another", content: "SELF python", grace: LockFile.namesakesGrace),
      Remains(testDescription: "a living process", content: "PARENT sh", grace: nil),
    ],
    // Written just now, a day ago by a clock that was set forward or a machine that slept, a day ahead by one set back.
    [0, 86_400, -86_400]
  )
  func remains(_ remains: Remains, _ seconds: Int) async throws {
    let scene = try Scene()
    let gone = try await goneProcess()
    let content = remains.content.replacing("GONE", with: "\(gone)").replacing("SELF", with: "\(getpid())")
      .replacing("PARENT", with: "\(getppid())")
    try scene.write(content, to: scene.lockPath)
    age(scene, by: seconds)
    let watch = Stopwatch()
    let file = LockFile(path: scene.lockPath, uptime: watch.read)
    var grace = remains.grace
    // The process seems to have started after it wrote the file: it is given time to show that it did not.
    if grace == nil, seconds == 86_400, try #require(LockOwner.start(of: getppid())) > Int(time(nil)) - 86_000 {
      grace = LockFile.namesakesGrace
    }

    for step in [.zero, (grace ?? .seconds(86_400)) - .milliseconds(1)] where step >= .zero && grace != .zero {
      watch.advance(by: step)
      let error = await #expect(throws: TokenCacheError.self) { try await file.acquire(within: .zero) }
      #expect(error?.kind == .locked)
      #expect(try scene.read(scene.lockPath) == content, "and is left as it was")
    }
    guard let grace else { return }
    if grace > .zero { watch.advance(by: .milliseconds(1)) }
    try await file.acquire(within: .zero).release()
    #expect(try scene.names() == [])
  }

  @Test("a lock file that is made anew, or written to, is watched from the beginning")
  func watchedAnew() async throws {
    let scene = try Scene()
    let watch = Stopwatch()
    let file = LockFile(path: scene.lockPath, uptime: watch.read)
    for content in ["", "\(try await goneProcess()) python", "\(try await goneProcess()) node"] {
      try scene.write(content, to: scene.lockPath)
      await #expect(throws: TokenCacheError.self) { try await file.acquire(within: .zero) }
      watch.advance(by: LockFile.strangersGrace - .milliseconds(1))
      await #expect(throws: TokenCacheError.self) { try await file.acquire(within: .zero) }
    }
    watch.advance(by: .milliseconds(1))
    try await file.acquire(within: .zero).release()
  }

  @Test("patience does not run out while the machine sleeps, and does when it is awake")
  func sleepingMachine() async throws {
    let scene = try Scene()
    let watch = Stopwatch()
    let file = LockFile(path: scene.lockPath, uptime: watch.read)
    let first = try await file.acquire(within: .zero)
    let waiting = Task { try await file.acquire(within: .milliseconds(1)) }
    // Longer than its patience, by every clock but the one that stands still.
    try await Task.sleep(for: .milliseconds(200))
    first.release()
    let second = try await waiting.value
    let time = Task {
      while !Task.isCancelled {
        watch.advance(by: .seconds(600))
        try await Task.sleep(for: .milliseconds(5))
      }
    }
    let error = await #expect(throws: TokenCacheError.self) { try await file.acquire(within: .seconds(3600)) }
    #expect(error?.kind == .locked)
    time.cancel()
    second.release()
  }

  @Test("a lock file that is a link, a folder or a FIFO is told at once")
  func oddities() async throws {
    let makers: [@Sendable (String) -> Void] = [
      { symlink("/nowhere", $0) }, { mkdir($0, 0o700) }, { mkfifo($0, 0o600) },
    ]
    for make in makers {
      let scene = try Scene()
      make(scene.lockPath)
      let error = await refusal(scene, within: .seconds(60))
      #expect(error?.kind == .notTrusted)
      #expect(error?.message.contains(scene.lockPath) == true)
    }
  }

  @Test("an owner that was killed does not stop the others")
  func killedOwner() async throws {
    let scene = try Scene()
    let owner = try Child(Child.driver, ["hold", scene.path])
    #expect(await owner.line() == "held")
    #expect(await refusal(scene)?.message.contains("process \(owner.id) ") == true)
    owner.kill()
    _ = await owner.end()
    try await scene.store.lock(within: .seconds(20)).release()
  }

  @Test("twenty processes are never in the locked part together, not even where a dead owner's file lies")
  func contention() async throws {
    let scene = try Scene()
    try scene.write("\(try await goneProcess()) msauth (flock)", to: scene.lockPath)
    let journal = scene.folder + "/journal"
    let children = try (0..<20).map { _ in try Child(Child.driver, ["contend", scene.path, journal, "10"]) }
    for child in children {
      let result = await child.end()
      #expect(result.status == 0, "\(result.errors)")
    }
    let lines = try scene.read(journal).split(separator: "\n").map { $0.split(separator: " ") }
    #expect(lines.count == 400)
    for pair in stride(from: 0, to: lines.count - 1, by: 2) {
      #expect(lines[pair][0] == "in" && lines[pair + 1][0] == "out" && lines[pair][1] == lines[pair + 1][1])
    }
    #expect(try scene.names() == ["journal"])
  }

  @Test("of many tasks and processes that write at once none loses a write")
  func noLostWrite() async throws {
    let scene = try Scene()
    let children = try (0..<5).map { try Child(Child.driver, ["add", scene.path, "p\($0)", "10"]) }
    let store = scene.store
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<5 {
        group.addTask {
          for round in 0..<10 {
            let lock = try await store.lock(within: .seconds(120))
            var document = try store.load()
            document.markSignedOut(homeAccountID: "t\(task).\(round)", username: "ada@contoso.com", clientID: "driver")
            try store.save(document, holding: lock)
            lock.release()
          }
        }
      }
      try await group.waitForAll()
    }
    for child in children { #expect(await child.end().status == 0) }
    #expect(try store.load().own["clients"]?["driver"]?["signed_out"]?.object?.count == 100)
  }

  @Test("the memory store's lock excludes, ends in time, and covers writes")
  func memory() async throws {
    let store = MemoryStore()
    let lock = try await store.lock(within: .zero)
    let error = await #expect(throws: TokenCacheError.self) { try await store.lock(within: .milliseconds(20)) }
    #expect(error?.kind == .locked)
    try store.save(.holding(grant()), holding: lock)
    lock.release()
    #expect(throws: TokenCacheError.self) { try store.save(TokenCacheDocument(), holding: lock) }
    #expect(try store.load() == .holding(grant()))
  }
}
