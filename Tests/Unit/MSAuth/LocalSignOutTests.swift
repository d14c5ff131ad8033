import Core
import Testing
import TokenCache

@testable import MSAuth

@Suite("signing out of the store")
struct LocalSignOutTests {
  /// A store that another process writes to while we wait for its lock.
  private struct BusyStore: TokenCacheStore {
    let store = MemoryStore()
    let other: @Sendable (inout TokenCacheDocument) -> Void

    var place: String { store.place }
    func load() async throws(TokenCacheError) -> TokenCacheDocument { try await store.load() }

    func lock(within timeout: Duration) async throws(TokenCacheError) -> TokenCacheLock {
      let lock = try await store.lock(within: timeout)
      var document = try await store.load()
      other(&document)
      try await store.save(document, holding: lock)
      return lock
    }

    func checkWritable(holding lock: TokenCacheLock) async throws(TokenCacheError) {
      try await store.checkWritable(holding: lock)
    }

    func save(_ document: TokenCacheDocument, holding lock: TokenCacheLock) async throws(TokenCacheError) {
      try await store.save(document, holding: lock)
    }

    func setAside(holding lock: TokenCacheLock) async throws(TokenCacheError) -> String? {
      try await store.setAside(holding: lock)
    }

    func removeSetAside(holding lock: TokenCacheLock) async throws(TokenCacheError) {
      try await store.removeSetAside(holding: lock)
    }
  }

  @Test("the refresh token that another process has just received is revoked, not the one before it")
  func renewedMeanwhile() async throws {
    let store = BusyStore { document in
      var grant = TokenGrant.sample
      grant.refreshToken?.secret = Secret("RT of the other process")
      document.store(grant, environmentAliases: [], createsAccount: true)
    }
    let session = try await LocalSignOut(
      context: Context(
        configuration: ClientConfiguration(clientID: "c", environment: [:]),
        dependencies: .offline(store)
      ),
      account: Account(
        identifier: "uid.utid",
        username: "ada@contoso.com",
        environment: "login.microsoftonline.com"
      ),
      parameters: SignOutParameters()
    ).run()
    #expect(session.removedTokens)
    #expect(session.refreshTokens.map(\.secret.revealed) == ["RT of the other process"])
    let left = try await store.load()
    #expect(left.isSignedOut(homeAccountID: "uid.utid", at: nil, clientID: "c"))
    #expect(left.accounts(matching: CacheQuery(environments: ["login.microsoftonline.com"])).isEmpty)
  }
}
