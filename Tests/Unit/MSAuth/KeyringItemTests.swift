import Desktop
import TestSupport
import Testing
import TokenCache

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
    let opened = try await ClientConfiguration.Store.secretService.open(in: folders, session: session, item: item)
    #expect(opened.cacheFile == home.path("state/shared.cache"))
    let configuration = try #require((opened.store as? SecretServiceStore)?.configuration)
    #expect(configuration.schema == item.schema && configuration.attributes == item.attributes)
    #expect(configuration.isBase64 && !configuration.matchesSchema)
    #expect(configuration.label == item.label && configuration.collection == item.collection)
    let own = try await ClientConfiguration.Store.secretService.open(in: folders, session: session)
    #expect(own.cacheFile != opened.cacheFile)
  }

  @Test("MSAL Python's own choice of a schema is the hash of the signal file's name")
  func python() {
    // hashlib.sha256(b"token_cache.keyring").hexdigest()
    let schema = "7cec0d89922546fd024dd1ae7096fa72aa50a4a0a0fd9bc8a12142bd5efa893a"
    let item = KeyringItem.msalPython(signalFile: "token_cache.keyring")
    #expect(item.schema == schema && item.attributes.isEmpty && item.signalFile == "token_cache.keyring")
  }
}
