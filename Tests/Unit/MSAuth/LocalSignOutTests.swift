import MSAuthCache
import MSAuthCore
import TestSupport
import Testing

@testable import MSAuth

@Suite("local sign-out")
struct LocalSignOutTests {
  @Test("a refresh token that another process just received is revoked, not its predecessor")
  func renewedMeanwhile() async throws {
    let store = ObservedStore(onLock: { document in
      var grant = TokenGrant.sample
      grant.refreshToken?.secret = Secret("RT of the other process")
      document.store(grant, environmentAliases: [], createsAccount: true)
    })
    let signOut = LocalSignOut(
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
    )
    let sessions = try await LocalSignOut.run([signOut])
    let session = try #require(sessions.first)
    #expect(session.removedTokens)
    #expect(session.refreshTokens.map(\.secret.revealed) == ["RT of the other process"])
    let left = try await store.load()
    #expect(left.isSignedOut(homeAccountID: "uid.utid", at: nil, clientID: "c"))
    #expect(left.accounts(matching: CacheQuery(environments: ["login.microsoftonline.com"])).isEmpty)
  }

  @Test("on a shared device, a provider's error descriptions are removed with the account", arguments: [true, false])
  func throttled(isShared: Bool) async throws {
    let store = MemoryStore()
    var document = TokenCacheDocument()
    document.store(.sample, environmentAliases: [], createsAccount: true)
    document.throttle("key", "ada@contoso.com is locked", until: 2000, now: 1000)
    let lock = try await store.lock(within: .zero)
    try await store.save(document, holding: lock)
    await lock.release()
    var dependencies = Dependencies.offline(store)
    if isShared { dependencies.device.mode = .shared }
    let signOut = LocalSignOut(
      context: Context(
        configuration: ClientConfiguration(clientID: "c", environment: [:]),
        dependencies: dependencies
      ),
      account: Account(identifier: "uid.utid", username: "ada@contoso.com", environment: "login.microsoftonline.com"),
      parameters: SignOutParameters()
    )
    _ = try await LocalSignOut.run([signOut])
    let kept = try await store.load().throttled("key", now: 1001, maximumDuration: 5000)
    #expect((kept == nil) == isShared)
  }

  @Test("several accounts are signed out in one write, followed by one notification")
  func several() async throws {
    let identifiers = (0..<20).map { "uid\($0).utid" }
    var before = TokenCacheDocument()
    for identifier in identifiers + ["stays.utid"] {
      var grant = TokenGrant.sample
      grant.account.homeAccountID = identifier
      grant.account.username = "\(identifier)@contoso.com"
      before.store(grant, environmentAliases: [], createsAccount: true)
      let redirectURI = "http://localhost/\(identifier)"
      before.recordSignIn(homeAccountID: identifier, clientID: "c", redirectURI: redirectURI)
    }
    func signOut(inOneGo: Bool) async throws -> (TokenCacheDocument, [LocalSignOut.Session], locks: Int) {
      let store = ObservedStore()
      let lock = try await store.base.lock(within: .zero)
      try await store.save(before, holding: lock)
      await lock.release()
      let context = Context(
        configuration: ClientConfiguration(clientID: "c", environment: [:]),
        dependencies: .offline(store)
      )
      let all = identifiers.map { identifier in
        LocalSignOut(
          context: context,
          account: Account(
            identifier: identifier,
            username: "\(identifier)@contoso.com",
            environment: "login.microsoftonline.com"
          ),
          parameters: SignOutParameters()
        )
      }
      var sessions: [LocalSignOut.Session] = []
      for some in inOneGo ? [all] : all.map({ [$0] }) {
        sessions += try await LocalSignOut.run(some)
      }
      return (try await store.load(), sessions, store.locks)
    }
    let (one, many) = (try await signOut(inOneGo: true), try await signOut(inOneGo: false))
    #expect(one.locks == 1 && many.locks == identifiers.count)
    #expect(one.0 == many.0)
    #expect(one.1.map(\.redirectURI) == identifiers.map { "http://localhost/\($0)" })
    #expect(one.1.map(\.redirectURI) == many.1.map(\.redirectURI))
    #expect(one.1.map(\.refreshTokens) == many.1.map(\.refreshTokens))
    #expect(one.1.allSatisfy { $0.removedTokens && $0.refreshTokens.count == 1 })
    let left = one.0.accounts().map(\.homeAccountID)
    #expect(left == ["stays.utid"])
  }
}
