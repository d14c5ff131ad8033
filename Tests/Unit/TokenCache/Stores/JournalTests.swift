import MSAuthUnix
import TestSupport
import Testing

@testable import MSAuthCache

@Suite("the journal of a change that a refresh token was spent for")
struct JournalTests {
  private let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  private static let old = TokenCacheDocument.holding(grant())
  private static let new = TokenCacheDocument.holding(grant { $0.refreshToken?.secret = Secret("RT 2") })
  private static let spent = grant().refreshToken?.secret ?? Secret("")

  @Test(
    "a merge patch yields the new document, and keeps what others have written",
    arguments: [
      ("{}", #"{"RefreshToken": {"a": {"secret": "1"}}}"#),
      (
        #"{"RefreshToken": {"a": {"secret": "1", "x": null}}}"#,
        #"{"RefreshToken": {"a": {"secret": "2", "x": null}}}"#
      ),
      (#"{"RefreshToken": {"a": {"secret": "1", "family_id": "1"}}}"#, #"{"RefreshToken": {"a": {"secret": "1"}}}"#),
      (#"{"RefreshToken": {"a": {}, "e\u0301": {}}}"#, #"{"RefreshToken": {"\u00e9": {}}}"#),
      (#"{"AccessToken": {"a": {}}, "msauth": {"b": 1}}"#, #"{"AccessToken": {}, "msauth": {"b": [1, {"c": null}]}}"#),
      (#"{"msauth": 1}"#, #"{"msauth": {"clients": {}}}"#), (#"{"msauth": {"a": 1}}"#, "{}"),
    ]
  )
  func patch(_ old: String, _ new: String) throws {
    let (before, after) = (try TokenCacheDocument(old), try TokenCacheDocument(new))
    let patch = before.root.mergePatch(to: after.root)
    var applied = before
    applied.root.apply(mergePatch: patch)
    #expect(applied == after)
    #expect(before.root.mergePatch(to: before.root).isEmpty)
    var other = before
    other.root.apply(mergePatch: ["other": ["a": "b"]])
    other.root.apply(mergePatch: patch)
    #expect(after.root.mergePatch(to: other.root) == ["other": ["a": "b"]])
  }

  @Test("a change is stored only while the cache has the token that was spent for it")
  func superseded() {
    let change = Journal.Change(spent: Self.spent.digest, patch: Self.old.root.mergePatch(to: Self.new.root))
    let newest = TokenCacheDocument.holding(grant { $0.refreshToken?.secret = Secret("RT 3") })
    for (before, after) in [(Self.old, Self.new), (Self.new, Self.new), (newest, newest)] {
      var document = before
      document.apply(change)
      #expect(document == after)
    }
    var signedOut = TokenCacheDocument()
    signedOut.apply(change)
    #expect(signedOut == TokenCacheDocument())
  }

  /// Stores the old document, and leaves a journal as a process does that dies before it can store the new one.
  private func leave(in store: FileStore) async throws {
    let lock = try await store.lock(within: .seconds(5))
    try await store.save(Self.old, holding: lock)
    try await store.checkWritable(holding: lock)
    let file = try #require(lock.takeJournal())
    #expect(file.write(Journal.Change(spent: Self.spent.digest, patch: Self.old.root.mergePatch(to: Self.new.root))))
    file.close()
    await lock.release()
  }

  @Test("the lock's next holder stores what a process left that died", arguments: [false, true])
  func left(isEncrypted: Bool) async throws {
    let store = try isEncrypted ? fixture.encryptedStore : fixture.store
    try await leave(in: store)
    let journal = try Data(contentsOf: URL(fileURLWithPath: fixture.path + ".journal"))
    #expect((journal.range(of: Data("RT 2".utf8)) == nil) == isEncrypted)
    #expect(try await store.load() == Self.old)
    await (try store.lock(within: .seconds(5))).release()
    #expect(try await store.load() == Self.new)
    #expect(try fixture.names() == ["token_cache.json"])
  }

  @Test("a journal that wasn't written completely changes nothing and is removed", arguments: [false, true])
  func unfinished(isEncrypted: Bool) async throws {
    let store = try isEncrypted ? fixture.encryptedStore : fixture.store
    try await leave(in: store)
    let file = URL(fileURLWithPath: fixture.path + ".journal")
    let journal = try Data(contentsOf: file)
    let lengths = [0, 1, 5, journal.count / 2, journal.count - 1]
    // Blanks follow where no space can be reserved.
    for (length, blanks) in lengths.flatMap({ [($0, 0), ($0, journal.count)] }) {
      try (journal.prefix(length) + Data(repeating: UInt8(ascii: " "), count: blanks)).write(to: file)
      await (try store.lock(within: .seconds(5))).release()
      #expect(try await store.load() == Self.old)
      #expect(try fixture.names() == ["token_cache.json"])
      try await leave(in: store)
    }
  }

  @Test("a journal that others can read or write isn't used, and no refresh token is spent meanwhile")
  func distrusted() async throws {
    try await leave(in: fixture.store)
    chmod(fixture.path + ".journal", 0o644)
    let lock = try await fixture.store.lock(within: .seconds(5))
    let error = await #expect(throws: AuthenticationError.self) { try await fixture.store.checkWritable(holding: lock) }
    #expect(error?.reason == .notTrusted)
    // A sign-out removes the token that it would replace.
    try await fixture.store.save(TokenCacheDocument(), holding: lock)
    chmod(fixture.path + ".journal", 0o600)
    try await fixture.store.replayJournal(holding: lock)
    await lock.release()
    #expect(try await fixture.store.load() == TokenCacheDocument())
    #expect(try fixture.names() == ["token_cache.json"])
  }

  /// Commits the new document after `fault`, which comes while the provider responds.
  private func commit(
    in store: FileStore,
    after fault: () async throws -> Void
  ) async throws -> AuthenticationError? {
    let lock = try await store.lock(within: .seconds(5))
    try await store.save(Self.old, holding: lock)
    try await store.checkWritable(holding: lock)
    try await fault()
    let failure = try await store.commit(from: Self.old, to: Self.new, spending: Self.spent, holding: lock)
    await lock.release()
    return failure
  }

  @Test("a cache that can't be written doesn't lose the change")
  func unwritable() async throws {
    let kept = fixture.path + ".kept"
    let failure = try await commit(in: fixture.store) {
      rename(fixture.path, kept)
      mkdir(fixture.path, 0o700)
    }
    #expect(failure?.reason == .notTrusted)
    rmdir(fixture.path)
    rename(kept, fixture.path)
    #expect(try fixture.names() == ["token_cache.json", "token_cache.json.journal"])
    await (try fixture.store.lock(within: .seconds(5))).release()
    #expect(try await fixture.store.load() == Self.new)
    #expect(try fixture.names() == ["token_cache.json"])
  }

  @Test("a key that vanishes doesn't lose the change")
  func vanishedKey() async throws {
    let store = try fixture.encryptedStore
    let failure = try await commit(in: store) { rename(fixture.keyPath, fixture.keyPath + ".kept") }
    #expect(failure?.reason == .keyUnusable)
    rename(fixture.keyPath + ".kept", fixture.keyPath)
    await (try store.lock(within: .seconds(5))).release()
    #expect(try await store.load() == Self.new)
  }

  @Test("a lock that was lost is taken again, and what another program has stored meanwhile stays")
  func lostLock() async throws {
    var other = Self.old
    other.root.apply(mergePatch: ["other": 1])
    let failure = try await commit(in: fixture.store) {
      unlink(fixture.lockPath)
      try await fixture.save(other)
    }
    #expect(failure == nil)
    #expect(try await fixture.store.load().root.mergePatch(to: Self.new.root) == ["other": .null])
    #expect(try fixture.names() == ["token_cache.json"])
  }
}

@Suite("the journal of a keyring's item", .enabled(if: !RuntimeDirectory("/var/tmp").endsWithSession))
struct KeyringJournalTests {
  private let (inMemory, onDisk): (Home, Home)

  init() throws { (inMemory, onDisk) = (try Home(in: Home.memory), try Home(in: "/var/tmp")) }

  private func journal(lock: String, of item: KeyringItem = KeyringItem()) throws -> String {
    let store = SecretServiceStore(
      item: item,
      signalPath: onDisk.path("state/signal"),
      lockPath: lock,
      mayPrompt: false
    )
    return try #require(store.journal).path
  }

  @Test("it is beside a lock in memory, and otherwise in another private directory in memory")
  func directory() throws {
    let lock = inMemory.path("run/keyring.lockfile")
    #expect(try journal(lock: lock) == "\(lock).\(KeyringItem().identifier).journal")
    let directory = try journal(lock: onDisk.path("run/keyring.lockfile")).parentDirectory
    #expect(RuntimeDirectory(directory).endsWithSession && RuntimeDirectory(directory).flaw == nil)
  }

  @Test("an item has one for each lock, by whichever path: two locks may protect two keyrings")
  func journals() throws {
    symlink(onDisk.path("run"), onDisk.path("link"))
    var other = KeyringItem()
    other.attributes["application"] = "other"
    let paths = try ["run/a.lockfile", "link/a.lockfile", "run/b.lockfile", "home/a.lockfile"].map { lock in
      try [KeyringItem(), other].map { try journal(lock: onDisk.path(lock), of: $0) }
    }
    #expect(paths[0] == paths[1] && Set(paths.joined()).count == 6, "\(paths)")
  }
}
