import TestSupport
import Testing

@testable import MSAuthCache

@Suite("damaged stores")
struct DamageTests {
  private let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  @Test(
    "a damaged file is reported and set aside unchanged, and a new cache starts",
    arguments: ["{\"AccessToken\": {", "garbage", "[]", "\0\0\0\0", "{\"RefreshToken\": 7}"]
  )
  func damaged(_ content: String) async throws {
    try fixture.write(content)
    let error = await #expect(throws: AuthenticationError.self) { try await fixture.store.load() }
    #expect(error?.reason == .damaged && error?.hint == "\(signIn: []), which sets the damaged store aside")
    #expect(error?.message.contains(fixture.path) == true)
    let lock = try await fixture.store.lock(within: .seconds(5))
    let aside = try #require(try await fixture.store.setAside(holding: lock))
    #expect(aside.hasPrefix(fixture.path + ".damaged-2") && aside.hasSuffix("Z"))
    #expect(try await fixture.store.load() == TokenCacheDocument())
    try await fixture.store.save(.holding(grant()), holding: lock)
    #expect(try await fixture.store.load() == .holding(grant()))
    #expect(try fixture.read(aside) == content)
  }

  @Test("several damaged files of the same second are all kept")
  func several() async throws {
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
  func rejected() async throws {
    let lock = try await fixture.store.lock(within: .seconds(5))
    #expect(try await fixture.store.setAside(holding: lock) == nil)
    await lock.release()
    try fixture.write("garbage")
    let error = await #expect(throws: AuthenticationError.self) { try await fixture.store.setAside(holding: lock) }
    #expect(error?.reason == .locked)
    #expect(try fixture.read() == "garbage")
  }

  @Test("similarly named files of other programs aren't removed")
  func sweeping() async throws {
    let kept = ["token_cache.json.backup.new", "token_cache.json..new", "token_cache.json.12.old", "other.json.12.new"]
    for name in kept + ["token_cache.json.12.new"] { try fixture.write("x", to: fixture.folder + "/" + name) }
    try await fixture.save(.holding(grant()))
    #expect(try fixture.names() == (kept + ["token_cache.json"]).sorted())
  }
}
