import MSAuthCache
import MSAuthDesktop
import TestSupport
import Testing

@testable import MSAuth

@Suite("the store before its first write")
struct StoreChoiceTests {
  @Test("a busy keyring is waited for no longer than the caller allows")
  func timeout() async throws {
    let home = try Home()
    func keyring() -> SecretServiceStore {
      SecretServiceStore(
        item: KeyringItem(),
        signalPath: home.path("signal"),
        lockPath: home.path("lock"),
        mayPrompt: false
      )
    }
    let lock = try await keyring().lock(within: .seconds(5))
    let file = FileStore(path: home.path("cache.json"))
    let store = StoreChoice(keyring: keyring(), file: file, hasAskedKeyring: true)
    // Far below the time for which a lock is waited for otherwise.
    await #expect(throws: Failure.self) {
      try await withTimeout(.seconds(30)) { _ = try await store.settled(within: .zero) }
    }
    await lock.release()
  }

  @Test("opening asks no keyring, and chooses nothing")
  func lazy() async throws {
    let home = try Home()
    let choice = try await ClientConfiguration.Store.automatic.choice(
      in: try XDGDirectories.standard(home.environment),
      session: DesktopSession(environment: home.environment)
    )
    #expect(choice.place == "the keyring" && choice.notice == nil)
    #expect(choice.cacheFile?.hasSuffix("/token_cache.keyring") == true)
    #expect(home.files(below: ".").isEmpty)
  }
}
