import Core
import TestSupport
import Testing
import TokenCache

@testable import MSAuth

@Suite("the store before its first write")
struct UndecidedStoreTests {
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
    let store = UndecidedStore(keyring: keyring(), file: FileStore(path: home.path("cache.json")))
    // Far below the time for which a lock is waited for otherwise.
    await #expect(throws: Failure.self) {
      try await withTimeout(.seconds(30)) { _ = try await store.lock(within: .zero) }
    }
    await lock.release()
  }
}
