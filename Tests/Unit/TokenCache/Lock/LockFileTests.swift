import MSAuthUnix
import TestSupport
import Testing

@testable import MSAuthCache

@Suite("the lock file")
struct LockFileTests {
  private let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  /// The error of a wait that must fail.
  private func rejection(
    of store: FileStore,
    within timeout: Duration = .milliseconds(200)
  ) async -> AuthenticationError? {
    await #expect(throws: AuthenticationError.self) { try await store.lock(within: timeout).release() }
  }

  @Test("it has our process ID while held, and is removed on release or deinit")
  func holding() async throws {
    let lock = try await fixture.store.lock(within: .seconds(5))
    #expect(try fixture.read(fixture.lockPath).hasPrefix("\(getpid()) "))
    await lock.release()
    await lock.release()
    #expect(try fixture.names() == [])
    do { _ = try await fixture.store.lock(within: .seconds(5)) }
    #expect(try fixture.names() == [])
  }

  @Test("two tasks of a process exclude each other; the timeout's error names process and file")
  func deadline() async throws {
    let lock = try await fixture.store.lock(within: .seconds(5))
    let error = await rejection(of: fixture.store)
    #expect(error?.reason == .locked && error?.hint != nil)
    let program = CommandLine.arguments.first?.split(separator: "/").last ?? ""
    #expect(error?.message.hasPrefix("process \(getpid()) (\(program)) ") == true, "\(error?.message ?? "")")
    #expect(error?.message.contains(fixture.lockPath) == true)
    await lock.release()
    try await fixture.store.lock(within: .zero).release()
  }

  @Test("a canceled wait ends at once")
  func cancellation() async throws {
    let lock = try await fixture.store.lock(within: .seconds(5))
    let waiting = Task { try await fixture.store.lock(within: .seconds(300)) }
    waiting.cancel()
    let error = await #expect(throws: AuthenticationError.self) { try await waiting.value }
    #expect(error?.code == .canceled)
    await lock.release()
  }

  @Test("a running owner that only created the file, like MSAL Python, is waited for and named")
  func exclusiveOwner() async throws {
    let script = """
      import os, sys, time
      with open(sys.argv[1], 'xb', buffering=0) as f:
          f.write(b'%d python' % os.getpid()); print('held', flush=True); time.sleep(600)
      """
    let owner = try ChildProcess(["python3", "-c", script, fixture.lockPath])
    #expect(try await owner.firstLine() == "held")
    // Even if the clock is set forward, so that the owner seems to have started after it created the file.
    for seconds in [1, 86_400] {
      try fixture.ageLock(by: seconds)
      let error = await rejection(of: fixture.store)
      #expect(error?.message.contains("process \(owner.pid) ") == true)
    }
    owner.signal(SIGKILL)
    _ = try await owner.end()
    try await fixture.store.lock(within: .seconds(20)).release()
  }

  @Test("an owner with only the flock, like Go and .NET, is waited for, even with an unknown process ID")
  func flockOwner() async throws {
    let gone = try await ChildProcess.endedPID()
    try fixture.write("\u{FEFF}\(gone) dotnet\n", to: fixture.lockPath)
    try fixture.ageLock(by: 3600)
    let owner = try ChildProcess(["flock", fixture.lockPath, "sh", "-c", "echo held; exec sleep 600"])
    #expect(try await owner.firstLine() == "held")
    #expect(await rejection(of: fixture.store)?.reason == .locked)
    let lock = Task { try await fixture.store.lock(within: .seconds(60)) }
    // `flock` passes its descriptor to the command, so both must be killed.
    owner.killGroup()
    _ = try await owner.end()
    try await lock.value.release()
  }

  @Test("a lock file that is a link, a directory or a FIFO is an error at once")
  func notRegularFiles() async throws {
    for make in [{ symlink("/nowhere", $0) }, { mkdir($0, 0o700) }, { mkfifo($0, 0o600) }] as [(String) -> Int32] {
      let fixture = try StoreFixture()
      #expect(make(fixture.lockPath) == 0)
      let error = await rejection(of: fixture.store, within: .seconds(60))
      #expect(error?.reason == .notTrusted && error?.message.contains(fixture.lockPath) == true)
    }
  }

  @Test("a running owner is waited for, and a dead one isn't, with and without its flock", arguments: [true, false])
  func killedOwner(hasFlock: Bool) async throws {
    var environment = ChildProcess.minimalEnvironment
    if !hasFlock {
      let library = try await PreloadedLibrary(PreloadedLibrary.localLocks, in: fixture.home)
      environment.merge(library.environment) { $1 }
    }
    let owner = try ChildProcess([BuiltProducts.tokenCacheDriver, "hold", fixture.path], environment: environment)
    #expect(try await owner.firstLine() == "held")
    #expect(await rejection(of: fixture.store)?.message.contains("process \(owner.pid) ") == true)
    owner.signal(SIGKILL)
    _ = try await owner.end()
    try await fixture.store.lock(within: .seconds(20)).release()
  }

  @Test(
    "an unremovable or unreadable lock file blocks others only while its owner runs",
    arguments: ["unlink", "lstat", "fstat"]
  )
  func unremovable(function: String) async throws {
    let calls = try await FailingCalls(below: ["state"], in: fixture.home)
    func add(_ rounds: Int, failing number: Int? = nil) async throws -> ChildProcess.Ending {
      let child = try ChildProcess(
        [BuiltProducts.tokenCacheDriver, "add", fixture.path, "p", "\(rounds)"],
        environment: ChildProcess.minimalEnvironment.merging(calls.environment(failing: number)) { $1 }
      )
      return try await child.end()
    }
    #expect(try await add(1) == .exited(0))
    let last = try #require(
      calls.calls.last { $0.function == function && $0.file.hasSuffix(".lockfile") && $0.kinds.contains(.disk) }
    )
    unlink(fixture.path)
    #expect(try await add(3, failing: last.number) == .exited(0))
    #expect(calls.calls.contains { $0.hasFailed })
    #expect(try await fixture.store.load().state["clients"]?["driver"]?["signed_out"]?.object?.count == 3)
    #expect(try fixture.names() == ["token_cache.json"])
  }

  @Test("of twenty processes that write at once, no write is lost, even with a dead owner's file")
  func contention() async throws {
    var identity = ProcessIdentity.current
    identity.start = 1
    try fixture.write("\(try await ChildProcess.endedPID()) msauth (flock \(identity.string))", to: fixture.lockPath)
    let children = try (0..<20).map { number in
      try ChildProcess([BuiltProducts.tokenCacheDriver, "add", fixture.path, "p\(number)", "10"])
    }
    for child in children { #expect(try await child.end(by: .after(180)) == .exited(0), "\(child.stderr)") }
    #expect(try await fixture.store.load().state["clients"]?["driver"]?["signed_out"]?.object?.count == 200)
    #expect(try fixture.names() == ["token_cache.json"])
  }

  @Test("the memory store's lock excludes others, times out, and covers writes")
  func memory() async throws {
    let store = MemoryStore()
    let lock = try await store.lock(within: .zero)
    let late = await #expect(throws: AuthenticationError.self) { try await store.lock(within: .milliseconds(20)) }
    #expect(late?.reason == .locked)
    try await store.save(.holding(grant()), holding: lock)
    await lock.release()
    let released = await #expect(throws: AuthenticationError.self) {
      try await store.save(TokenCacheDocument(), holding: lock)
    }
    #expect(released?.reason == .locked)
    #expect(try await store.load() == .holding(grant()))
  }
}
