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
