import Synchronization
import TestSupport
import Testing

@testable import MSAuthCache

@Suite("the file store")
struct FileStoreTests {
  private let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  @Test("a missing or empty file is an empty cache")
  func nothing() async throws {
    #expect(try await fixture.store.load() == TokenCacheDocument())
    try fixture.write("")
    #expect(try await fixture.store.load() == TokenCacheDocument())
  }

  @Test("a saved cache is loaded, with a private file and directory whatever the umask")
  func save() async throws {
    let store = FileStore(path: fixture.folder + "/new/state/token_cache.json")
    let lock = try await store.lock(within: .seconds(5))
    try await store.save(.holding(grant()), holding: lock)
    await lock.release()
    #expect(try await store.load() == .holding(grant()))
    #expect(try fixture.home.mode("state/new/state/token_cache.json") == 0o600)
    #expect(try fixture.home.mode("state/new") == 0o700)
    #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder + "/new/state") == ["token_cache.json"])
  }

  @Test("saving an unchanged cache doesn't write the file")
  func unchanged() async throws {
    try await fixture.save(.holding(grant()))
    let before = try fixture.home.status("state/token_cache.json")
    try await fixture.save(.holding(grant()))
    #expect(try fixture.home.status("state/token_cache.json").st_ino == before.st_ino)
  }

  // ReadFileTests prove each requirement of a secret's file.
  @Test("an untrusted file is neither read nor overwritten", arguments: ["link", "readable", "FIFO", "large"])
  func distrusted(_ kind: String) async throws {
    switch kind {
    case "link": symlink("/nowhere", fixture.path)
    case "readable": try fixture.write("{}", mode: 0o640)
    case "FIFO": mkfifo(fixture.path, 0o600)
    default:
      try fixture.write("{}")
      truncate(fixture.path, 256 << 20 + 1)
    }
    let reason: AuthenticationError.Reason = kind == "large" ? .tooLarge : .notTrusted
    let read = await #expect(throws: AuthenticationError.self) { try await fixture.store.load() }
    #expect(read?.reason == reason && read?.message.contains(fixture.path) == true)
    if kind == "FIFO" { #expect(read?.hint?.description.contains("the token store can be read") == true) }
    let written = await #expect(throws: AuthenticationError.self) { try await fixture.save(.holding(grant())) }
    #expect(written?.reason == reason)
  }

  @Test("another user's file isn't read")
  func foreignOwner() async throws {
    try fixture.write("{}")
    let isRoot = geteuid() == 0
    if isRoot { #expect(chown(fixture.path, 65_534, 65_534) == 0) }
    let store = isRoot ? fixture.store : FileStore(path: "/usr/lib/os-release")
    let error = await #expect(throws: AuthenticationError.self) { try await store.load() }
    let advice = isRoot ? "as nobody, without sudo" : "sudo chown \(geteuid()) \(store.path)"
    #expect(error?.reason == .notTrusted && error?.hint?.description.contains(advice) == true)
  }

  @Test("a file in the directory's place, or an unwritable directory, is reported", arguments: ["file", "/sys/kernel"])
  func noFolder(_ folder: String) async throws {
    try fixture.write("x", to: fixture.folder + "/file")
    let store = FileStore(path: (folder == "file" ? fixture.folder + "/file" : folder) + "/token_cache.json")
    let error = await #expect(throws: AuthenticationError.self) { try await store.lock(within: .zero) }
    #expect(error?.reason == .notWritable && error?.message.contains(folder) == true)
  }

  @Test("a relative path is resolved once, and a NUL doesn't truncate it")
  func paths() async throws {
    #expect(FileStore(path: "cache.json").path == FileManager.default.currentDirectoryPath + "/cache.json")
    try fixture.write("{}")
    await #expect(throws: AuthenticationError.self) { try await FileStore(path: fixture.path + "\0.bak").load() }
  }

  @Test("writing requires this cache's own lock")
  func unlocked() async throws {
    let released = try await fixture.store.lock(within: .seconds(5))
    await released.release()
    let other = FileStore(path: fixture.folder + "/other.json")
    let foreign = try await other.lock(within: .seconds(5))
    let removed = try await fixture.store.lock(within: .seconds(5))
    unlink(fixture.lockPath)
    for lock in [released, foreign, removed] {
      let error = await #expect(throws: AuthenticationError.self) {
        try await fixture.store.save(.holding(grant()), holding: lock)
      }
      #expect(error?.reason == .locked)
    }
    #expect(!FileManager.default.fileExists(atPath: fixture.path))
  }

  @Test("a lock that another library removes during the write leaves the cache as it was")
  func lostLock() async throws {
    let validity = Mutex([false, true])
    let lock = TokenCacheLock(of: fixture.lockPath, isValid: { validity.withLock { $0.popLast() ?? false } }) {}
    let error = await #expect(throws: AuthenticationError.self) {
      try await fixture.store.save(.holding(grant()), holding: lock)
    }
    #expect(error?.reason == .locked && !FileManager.default.fileExists(atPath: fixture.path))
  }

  @Test("a mounted file that was replaced outside isn't used for a refresh")
  func staleMount() async throws {
    // As with such a mount, the path leads to a file that has no name.
    try fixture.write("{}")
    let descriptor = open(fixture.path, O_RDONLY)
    defer { close(descriptor) }
    unlink(fixture.path)
    symlink("/proc/self/fd/\(descriptor)", fixture.path)
    let lock = try await fixture.store.lock(within: .seconds(5))
    let error = await #expect(throws: AuthenticationError.self) { try await fixture.store.checkWritable(holding: lock) }
    #expect(error?.reason == .notWritable)
    #expect(error?.message.hasSuffix("was replaced or deleted outside this container") == true)
    await lock.release()
  }

  @Test("readers always see a complete cache while others write")
  func readersAndWriter() async throws {
    try await fixture.save(.holding(grant()))
    let store = fixture.store
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for round in 0..<100 { try await fixture.save(.holding(grant { $0.cachedAt += Int64(round) })) }
      }
      for _ in 0..<2 {
        group.addTask {
          for _ in 0..<300 {
            let document = try await store.load()
            #expect(document.refreshTokens() == ["RT"])
            await Task.yield()
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
