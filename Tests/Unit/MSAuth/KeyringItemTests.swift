import MSAuthCache
import MSAuthDesktop
import TestSupport
import Testing

@testable import MSAuth

@Suite("which item of the keyring is used")
struct KeyringItemTests {
  @Test("an application can open the item that other tools share, with a lock and a signal of its own")
  func shared() async throws {
    let home = try Home()
    let folders = try XDGDirectories(environment: home.environment)
    let session = DesktopSession(environment: home.environment)
    var item = KeyringItem.microsoftTools(home: home.path("home"))
    item.collection = "session"
    item.signalFile = home.path("state/shared.cache")
    let opened = try await ClientConfiguration.Store.secretService.choice(in: folders, session: session, item: item)
    #expect(opened.cacheFile == home.path("state/shared.cache"))
    let store = try #require(try await opened.readable() as? SecretServiceStore)
    #expect(store.item == item && item.encoding == .base64 && !item.matchesSchema)
    #expect(store.lockPath == home.path("state/shared.cache.lockfile"), "where the other tools look")
    let own = try await ClientConfiguration.Store.secretService.choice(in: folders, session: session)
    #expect(own.cacheFile != opened.cacheFile)
    // Whatever state home a program has, the item on the bus is the same, and so is its lock.
    #expect((try await own.readable() as? SecretServiceStore)?.lockPath == home.path("run/msauth/keyring.lockfile"))
  }

  @Test("MSAL Python's own choice of a schema is the hash of the signal file's name")
  func python() {
    // hashlib.sha256(b"token_cache.keyring").hexdigest()
    let schema = "7cec0d89922546fd024dd1ae7096fa72aa50a4a0a0fd9bc8a12142bd5efa893a"
    let item = KeyringItem.msalPython(signalFile: "token_cache.keyring")
    #expect(item.schema == schema && item.attributes.isEmpty && item.signalFile == "token_cache.keyring")
  }
}
