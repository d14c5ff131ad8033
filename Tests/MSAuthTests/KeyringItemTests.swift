import Desktop
import TestSupport
import Testing
import TokenCache

@testable import MSAuth

@Suite("which item of the keyring is used")
struct KeyringItemTests {
  @Test("an application can open the item that other tools share, with a lock and a signal of its own")
  func shared() throws {
    let home = try Home()
    let folders = try XDGFolders(environment: home.environment)
    let session = DesktopSession(environment: home.environment)
    let item = KeyringItem(
      schema: "msal.cache",
      attributes: ["MsalClientID": "Microsoft.Developer.IdentityService"],
      label: "MSALCache",
      collection: "session",
      signalFile: home.path("state/shared.cache")
    )
    let opened = Configuration.Store.secretService.open(in: folders, session: session, item: item)
    #expect(opened.cacheFile == home.path("state/shared.cache"))
    let configuration = try #require((opened.store as? SecretServiceStore)?.configuration)
    #expect(configuration.schema == item.schema && configuration.attributes == item.attributes)
    #expect(configuration.label == item.label && configuration.collection == item.collection)
    #expect(Configuration.Store.secretService.open(in: folders, session: session).cacheFile != opened.cacheFile)
  }
}
