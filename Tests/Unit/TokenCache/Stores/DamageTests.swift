import Core
import Foundation
import Glibc
import Testing

@testable import TokenCache

@Suite("Damage")
struct DamageTests {
  @Test(
    "a damaged file is told, set aside with its content, and a new cache begins",
    arguments: ["{\"AccessToken\": {", "garbage", "[]", "\0\0\0\0", "{\"RefreshToken\": 7}"]
  )
  func damaged(_ content: String) async throws {
    let scene = try Scene()
    try scene.write(content)
    let error = await #expect(throws: TokenCacheError.self) { try await scene.store.load() }
    #expect(error?.kind == .damaged && error?.remedy == .replaceDamagedStore)
    #expect(error?.message.contains(scene.path) == true)
    let lock = try await scene.store.lock(within: .seconds(5))
    let aside = try #require(try await scene.store.setAside(holding: lock))
    #expect(aside.hasPrefix(scene.path + ".damaged-2") && aside.hasSuffix("Z"))
    #expect(try scene.read(aside) == content)
    #expect(try await scene.store.load() == TokenCacheDocument())
    try await scene.store.save(.holding(grant()), holding: lock)
    #expect(try await scene.store.load() == .holding(grant()))
    #expect(try scene.read(aside) == content)
  }

  @Test("several damaged files of one second all stay")
  func several() async throws {
    let scene = try Scene()
    let lock = try await scene.store.lock(within: .seconds(5))
    var names: Set<String> = []
    for round in 0..<5 {
      try scene.write("damage \(round)")
      names.insert(try #require(try await scene.store.setAside(holding: lock)))
    }
    #expect(names.count == 5)
    #expect(try Set(names.map { try scene.read($0) }).count == 5)
  }

  @Test("nothing there is nothing to set aside, and without the lock nothing is")
  func refused() async throws {
    let scene = try Scene()
    let lock = try await scene.store.lock(within: .seconds(5))
    #expect(try await scene.store.setAside(holding: lock) == nil)
    lock.release()
    try scene.write("garbage")
    await #expect(throws: TokenCacheError.self) { try await scene.store.setAside(holding: lock) }
    #expect(try scene.read() == "garbage")
  }

  @Test(
    "a process killed before any step leaves the state before or after, and nobody waits for it",
    arguments: WriteStep.allCases
  )
  func killed(_ step: WriteStep) async throws {
    let scene = try Scene()
    try await scene.save(.holding(grant()))
    let child = try await Child.run(Child.driver, ["die", step.rawValue, scene.path])
    #expect(child.wasKilled && child.status == SIGKILL, "\(child.errors)")
    var after = TokenCacheDocument.holding(grant())
    after.markSignedOut(homeAccountID: "after", username: "ada@contoso.com", clientID: "driver")
    let isAfter = step == .done || step == .synchronizeFolder
    #expect(try await scene.store.load() == (isAfter ? after : .holding(grant())))
    let hasTemporary = [.write, .synchronize, .rename].contains(step)
    #expect(try scene.names().contains { $0.hasSuffix(".new") } == hasTemporary)

    let second = try await Child.run(Child.driver, ["die", "never", scene.path])
    #expect(second.status == 0, "\(second.errors)")
    #expect(try await scene.store.load() == after)
    #expect(try scene.names() == ["token_cache.json"] || isAfter, "what the dead left is gone")
  }

  @Test("what others called similarly is not swept")
  func sweeping() async throws {
    let scene = try Scene()
    let kept = ["token_cache.json.backup.new", "token_cache.json..new", "token_cache.json.12.old", "other.json.12.new"]
    for name in kept + ["token_cache.json.12.new"] { try scene.write("x", to: scene.folder + "/" + name) }
    try await scene.save(.holding(grant()))
    #expect(try scene.names() == (kept + ["token_cache.json"]).sorted())
  }

  @Test("a disk on which it does not fit leaves the old cache whole, and is told")
  func fullDisk() async throws {
    let scene = try Scene()
    try await scene.save(.holding(grant()))
    // A limit of 64 blocks of 512 bytes; without the signal a longer file fails as on a full disk, half written.
    let limited = "trap '' XFSZ; ulimit -f 64; exec \"$@\""
    let child = try await Child.run("sh", ["-c", limited, "sh", Child.driver, "grow", scene.path])
    #expect(child.status == 0, "\(child.errors)")
    #expect(child.output.hasPrefix("store_not_writable \(scene.path)"), "\(child.output)")
    #expect(try await scene.store.load() == .holding(grant()))
    #expect(try scene.names() == ["token_cache.json"])
  }

  @Test("a place that cannot be written is told")
  func readOnly() async throws {
    let store = FileStore(path: "/sys/kernel/token_cache.json")
    #expect(try await store.load() == TokenCacheDocument())
    let error = await #expect(throws: TokenCacheError.self) { try await store.lock(within: .seconds(5)) }
    #expect(error?.kind == .notWritable)
    #expect(error?.message.contains(store.path) == true)
  }
}
