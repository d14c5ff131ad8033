import MSAuthCore
import TestSupport
import Testing

@testable import MSAuthCache

@Suite("the journal of a change that can't be made again")
struct JournalTests {
  private static let key = AccountKey(issuer: nil, clientID: "client", homeAccountID: "uid.utid")

  @Test(
    "a change that is applied yields the new document, and keeps what others have written meanwhile",
    arguments: [
      ("{}", #"{"RefreshToken": {"a": {"secret": "1"}}}"#),
      (
        #"{"RefreshToken": {"a": {"secret": "1", "x": null}}}"#, #"{"RefreshToken": {"a": {"secret": "2", "x": null}}}"#
      ),
      (#"{"RefreshToken": {"a": {"secret": "1", "family_id": "1"}}}"#, #"{"RefreshToken": {"a": {"secret": "1"}}}"#),
      (#"{"RefreshToken": {"a": {}, "e\u0301": {}}}"#, #"{"RefreshToken": {"\u00e9": {}}}"#),
      (#"{"AccessToken": {"a": {}}, "msauth": {"b": 1}}"#, #"{"AccessToken": {}, "msauth": {"b": [1, {"c": null}]}}"#),
      (#"{"msauth": 1}"#, #"{"msauth": {"clients": {}}}"#), (#"{"msauth": {"a": 1}}"#, "{}"),
    ]
  )
  func change(_ old: String, _ new: String) throws {
    let (before, after) = (try TokenCacheDocument(old), try TokenCacheDocument(new))
    let change = before.change(to: after)
    var applied = before
    applied.apply(change)
    #expect(applied == after)
    #expect(before.change(to: before).isEmpty)
    var other = before
    other.apply(["other": ["a": "b"]])
    other.apply(change)
    #expect(after.change(to: other) == ["other": ["a": "b"]])
  }

  /// Leaves a journal as a process does that dies before it can store the change.
  private func leave(_ change: TokenCacheDocument, in store: FileStore) async throws {
    let lock = try await store.lock(within: .seconds(5))
    try await store.checkWritable(holding: lock)
    let file = try #require(lock.takeJournal())
    #expect(file.write(TokenCacheDocument().change(to: change)))
    file.close()
    await lock.release()
  }

  @Test("the lock's next holder stores what a process left that died", arguments: [false, true])
  func left(isEncrypted: Bool) async throws {
    let fixture = try StoreFixture()
    let key = fixture.home.path("key")
    try fixture.write(String(repeating: "k", count: 32), to: key)
    let store = FileStore(path: fixture.path, encryption: isEncrypted ? StoreEncryption(keyFile: key) : nil)
    try await leave(.holding(grant()), in: store)
    let journal = try Data(contentsOf: URL(fileURLWithPath: fixture.path + ".journal"))
    #expect(StoreEncryption.isEncrypted(Array(journal)) == isEncrypted)
    #expect(try await store.load() == TokenCacheDocument())
    await (try store.lock(within: .seconds(5))).release()
    #expect(try await store.load() == .holding(grant()))
    #expect(try fixture.names() == ["token_cache.json"])
  }

  @Test(
    "an unfinished journal changes nothing and is removed",
    arguments: ["", "{", #"{"RefreshToken": {"a": "#, "\0"]
  )
  func unfinished(content: String) async throws {
    let fixture = try StoreFixture()
    try await fixture.save(.holding(grant()))
    try fixture.write(content, to: fixture.path + ".journal")
    await (try fixture.store.lock(within: .seconds(5))).release()
    #expect(try await fixture.store.load() == .holding(grant()))
    #expect(try fixture.names() == ["token_cache.json"])
  }

  @Test("a journal that others can read or write isn't used, and no refresh token is spent meanwhile")
  func distrusted() async throws {
    let fixture = try StoreFixture()
    try await leave(.holding(grant()), in: fixture.store)
    chmod(fixture.path + ".journal", 0o644)
    let lock = try await fixture.store.lock(within: .seconds(5))
    let error = await #expect(throws: AuthenticationError.self) { try await fixture.store.checkWritable(holding: lock) }
    #expect(error?.reason == .notTrusted)
    await lock.release()
    #expect(try fixture.names() == ["token_cache.json.journal"])
  }

  /// Commits a grant after `trouble`, which comes while the provider responds.
  private func commit(
    in fixture: StoreFixture,
    after trouble: () async throws -> Void
  ) async throws -> AuthenticationError? {
    let store = fixture.store
    let lock = try await store.lock(within: .seconds(5))
    let old = try await store.load()
    try await store.checkWritable(holding: lock)
    try await trouble()
    let failure = try await store.commit(from: old, to: .holding(grant()), of: Self.key, holding: lock)
    await lock.release()
    return failure
  }

  @Test("a cache that can't be written doesn't lose the change")
  func unwritable() async throws {
    let fixture = try StoreFixture()
    let failure = try await commit(in: fixture) { mkdir(fixture.path, 0o700) }
    #expect(failure?.reason == .notTrusted)
    #expect(try fixture.names() == ["token_cache.json", "token_cache.json.journal"])
    rmdir(fixture.path)
    await (try fixture.store.lock(within: .seconds(5))).release()
    #expect(try await fixture.store.load() == .holding(grant()))
    #expect(try fixture.names() == ["token_cache.json"])
  }

  @Test("a lock that was lost is taken again, and what another program has stored meanwhile stays")
  func lostLock() async throws {
    let fixture = try StoreFixture()
    let failure = try await commit(in: fixture) {
      unlink(fixture.lockPath)
      try await fixture.save(try TokenCacheDocument(#"{"other": 1}"#))
    }
    #expect(failure == nil)
    #expect(try await fixture.store.load().change(to: .holding(grant())) == ["other": .null])
    #expect(try fixture.names() == ["token_cache.json"])
  }

  @Test("nothing is stored for an account that was signed out meanwhile")
  func signedOut() async throws {
    let fixture = try StoreFixture()
    var signedOut = TokenCacheDocument()
    signedOut.markSignedOut(Self.key, username: "ada")
    let failure = try await commit(in: fixture) {
      unlink(fixture.lockPath)
      try await fixture.save(signedOut)
    }
    #expect(failure == nil)
    #expect(try await fixture.store.load() == signedOut)
  }
}
