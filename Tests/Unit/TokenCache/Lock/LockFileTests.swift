import Core
import Foundation
import Glibc
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
    #expect(error?.kind == .locked && error?.remedy != nil)
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
    #expect(error?.kind == .cancelled)
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
      scene.ageLock(by: seconds)
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
    let gone = try await Child.goneProcess()
    try scene.write("\u{FEFF}\(gone) dotnet\n", to: scene.lockPath)
    scene.ageLock(by: 3600)
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
    try scene.write("\(try await Child.goneProcess()) msauth (flock)", to: scene.lockPath)
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
            var document = try await store.load()
            document.markSignedOut(homeAccountID: "t\(task).\(round)", username: "ada@contoso.com", clientID: "driver")
            try await store.save(document, holding: lock)
            lock.release()
          }
        }
      }
      try await group.waitForAll()
    }
    for child in children { #expect(await child.end().status == 0) }
    #expect(try await store.load().own["clients"]?["driver"]?["signed_out"]?.object?.count == 100)
  }

  @Test("the memory store's lock excludes, ends in time, and covers writes")
  func memory() async throws {
    let store = MemoryStore()
    let lock = try await store.lock(within: .zero)
    let error = await #expect(throws: TokenCacheError.self) { try await store.lock(within: .milliseconds(20)) }
    #expect(error?.kind == .locked)
    try await store.save(.holding(grant()), holding: lock)
    lock.release()
    await #expect(throws: TokenCacheError.self) { try await store.save(TokenCacheDocument(), holding: lock) }
    #expect(try await store.load() == .holding(grant()))
  }
}
