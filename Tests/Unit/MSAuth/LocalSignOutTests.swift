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
    func load() throws(TokenCacheError) -> TokenCacheDocument { try store.load() }

    func lock(within patience: Duration) async throws(TokenCacheError) -> TokenCacheLock {
      let lock = try await store.lock(within: patience)
      var document = try store.load()
      other(&document)
      try store.save(document, holding: lock)
      return lock
    }

    func checkWritable(holding lock: TokenCacheLock) throws(TokenCacheError) { try store.checkWritable(holding: lock) }

    func save(_ document: TokenCacheDocument, holding lock: TokenCacheLock) throws(TokenCacheError) {
      try store.save(document, holding: lock)
    }

    func setAside(holding lock: TokenCacheLock) throws(TokenCacheError) -> String? {
      try store.setAside(holding: lock)
    }
  }

  @Test("what another process has just renewed is what the provider is told of, not what it replaced")
  func renewedMeanwhile() async throws {
    let store = BusyStore { document in
      var grant = TokenGrant.sample
      grant.refreshToken = Secret("RT of the other process")
      document.store(grant, environmentAliases: [], createsAccount: true)
    }
    let session = try await LocalSignOut(
      configuration: Configuration(clientID: "c", environment: [:]),
      dependencies: .offline(store),
      account: Account(
        identifier: "uid.utid",
        username: "ada@contoso.com",
        environment: "login.microsoftonline.com"
      ),
      parameters: SignOutParameters()
    ).run()
    #expect(session.removedTokens)
    #expect(session.refreshTokens.map(\.secret.revealed) == ["RT of the other process"])
    let left = try store.load()
    #expect(left.isSignedOut(homeAccountID: "uid.utid", at: nil, clientID: "c"))
    #expect(left.accounts(environments: ["login.microsoftonline.com"], issuer: nil).isEmpty)
  }
}
