import MSAuthUnix
import TestSupport
import Testing

@testable import MSAuthCache

@Suite("damaged stores")
struct DamageTests {
  @Test(
    "a damaged file is reported and set aside unchanged, and a new cache starts",
    arguments: ["{\"AccessToken\": {", "garbage", "[]", "\0\0\0\0", "{\"RefreshToken\": 7}"]
  )
  func damaged(_ content: String) async throws {
    let fixture = try StoreFixture()
    try fixture.write(content)
    let error = await #expect(throws: AuthenticationError.self) { try await fixture.store.load() }
    #expect(error?.reason == .damaged && error?.hint == "\(signIn: []), which sets the damaged store aside")
    #expect(error?.message.contains(fixture.path) == true)
    let lock = try await fixture.store.lock(within: .seconds(5))
    let aside = try #require(try await fixture.store.setAside(holding: lock))
    #expect(aside.hasPrefix(fixture.path + ".damaged-2") && aside.hasSuffix("Z"))
    #expect(try fixture.read(aside) == content)
    #expect(try await fixture.store.load() == TokenCacheDocument())
    try await fixture.store.save(.holding(grant()), holding: lock)
    #expect(try await fixture.store.load() == .holding(grant()))
    #expect(try fixture.read(aside) == content)
  }

  @Test("several damaged files of the same second are all kept")
  func several() async throws {
    let fixture = try StoreFixture()
    let lock = try await fixture.store.lock(within: .seconds(5))
    var names: Set<String> = []
    for round in 0..<5 {
      try fixture.write("damage \(round)")
      names.insert(try #require(try await fixture.store.setAside(holding: lock)))
    }
    #expect(names.count == 5)
    #expect(try Set(names.map { try fixture.read($0) }).count == 5)
  }

  @Test("a missing file isn't set aside, and setting aside requires the lock")
  func refused() async throws {
    let fixture = try StoreFixture()
    let lock = try await fixture.store.lock(within: .seconds(5))
    #expect(try await fixture.store.setAside(holding: lock) == nil)
    await lock.release()
    try fixture.write("garbage")
    await #expect(throws: AuthenticationError.self) { try await fixture.store.setAside(holding: lock) }
    #expect(try fixture.read() == "garbage")
  }

  @Test("a process killed at any step leaves the old or the new state, and no lock", arguments: Draft.Step.allCases)
  func killed(_ step: Draft.Step) async throws {
    let fixture = try StoreFixture()
    try await fixture.save(.holding(grant()))
    let child = try ChildProcess([BuiltProducts.tokenCacheDriver, "die", step.rawValue, fixture.path])
    #expect(try await child.end() == .killed(SIGKILL), "\(child.stderr)")
    var after = TokenCacheDocument.holding(grant())
    after.markSignedOut(AccountKey(clientID: "driver", homeAccountID: "after"), username: "ada@contoso.com")
    let isAfter = step == .done || step == .synchronizeDirectory
    #expect(try await fixture.store.load() == (isAfter ? after : .holding(grant())))
    let hasTemporary = [.write, .synchronize, .rename].contains(step)
    #expect(try fixture.names().contains { $0.hasSuffix(".new") } == hasTemporary)

    let second = try ChildProcess([BuiltProducts.tokenCacheDriver, "die", "never", fixture.path])
    #expect(try await second.end() == .exited(0), "\(second.stderr)")
    #expect(try await fixture.store.load() == after)
    #expect(try fixture.names() == ["token_cache.json"] || isAfter, "leftover files are removed")
  }

  @Test("similarly named files of other programs aren't removed")
  func sweeping() async throws {
    let fixture = try StoreFixture()
    let kept = ["token_cache.json.backup.new", "token_cache.json..new", "token_cache.json.12.old", "other.json.12.new"]
    for name in kept + ["token_cache.json.12.new"] { try fixture.write("x", to: fixture.folder + "/" + name) }
    try await fixture.save(.holding(grant()))
    #expect(try fixture.names() == (kept + ["token_cache.json"]).sorted())
  }

  @Test("a full disk keeps the old cache, and is reported")
  func fullDisk() async throws {
    let fixture = try StoreFixture()
    try await fixture.save(.holding(grant()))
    // 64 blocks of 512 bytes; without SIGXFSZ a longer file fails as on a full disk, partly written.
    let limited = "trap '' XFSZ; ulimit -f 64; exec \"$@\""
    let child = try ChildProcess(["sh", "-c", limited, "sh", BuiltProducts.tokenCacheDriver, "grow", fixture.path])
    #expect(try await child.end() == .exited(0), "\(child.stderr)")
    #expect(child.stdout.hasPrefix("store_not_writable \(fixture.path)"), "\(child.stdout)")
    #expect(try await fixture.store.load() == .holding(grant()))
    #expect(try fixture.names() == ["token_cache.json"])
  }

  @Test("an unwritable directory is reported")
  func readOnly() async throws {
    let store = FileStore(path: "/sys/kernel/token_cache.json")
    #expect(try await store.load() == TokenCacheDocument())
    let error = await #expect(throws: AuthenticationError.self) { try await store.lock(within: .seconds(5)) }
    #expect(error?.reason == .notWritable)
    #expect(error?.message.contains(store.path) == true)
  }
}
