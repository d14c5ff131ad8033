@testable import MSAuthCache
import TestSupport
import Testing

@testable import MSAuth

@Suite("local sign-out")
struct AccountSignOutTests {
  @Test("a refresh token that another process just received is revoked, not its predecessor")
  func newerRefreshToken() async throws {
    let store = ObservedStore(onLock: { document in
      var grant = TokenGrant.sample
      grant.refreshToken?.secret = Secret("RT of the other process")
      document.add(grant)
    })
    let context: Context = .offline(.offline(store))
    let flow = SignOutFlow(context: context, parameters: SignOutParameters())
    let signOut = try #require(try await flow.removeTokens(of: [.sample()]).first)
    #expect(signOut.removedTokens)
    #expect(signOut.refreshTokens.map(\.secret.revealed) == ["RT of the other process"])
    let left = try await store.load()
    #expect(left.isSignedOut(AccountKey(clientID: "c", homeAccountID: "uid.utid")))
    #expect(left.accounts(matching: CacheQuery(environments: ["login.microsoftonline.com"])).isEmpty)
  }

  @Test("an account without tokens has none removed, although another issuer's account has its ID")
  func sharedID() async throws {
    let store = MemoryStore()
    var grant = TokenGrant.sample
    (grant.account.homeAccountID, grant.account.environment) = ("sub", "id.example")
    (grant.account.realm, grant.accessToken.realm, grant.account.authorityType) = ("staff", "staff", "Generic")
    try await store.change { [grant] in $0.add(grant) }
    let accounts = ["staff", "guests"].map {
      Account(identifier: "sub", username: "ada", environment: "id.example", realm: $0)
    }
    let flow = SignOutFlow(context: .offline(.offline(store)), parameters: SignOutParameters())
    #expect(try await flow.removeTokens(of: accounts).map(\.removedTokens) == [true, false])
  }

  @Test("on a shared device, a provider's error descriptions are removed with the account", arguments: [true, false])
  func throttled(isShared: Bool) async throws {
    let store = MemoryStore()
    try await store.change { document in
      document.add()
      document.throttle("key", "ada@contoso.com is locked", until: 2000, now: 1000)
    }
    var dependencies = Dependencies.offline(store)
    if isShared { dependencies.device.mode = .shared }
    let context: Context = .offline(dependencies)
    _ = try await SignOutFlow(context: context, parameters: SignOutParameters()).removeTokens(of: [.sample()])
    let kept = try await store.load().throttled("key", now: 1001, maximumDuration: 5000)
    #expect((kept == nil) == isShared)
  }

  @Test("wiping all accounts removes every application's, even if none is named", arguments: [true, false])
  func wiped(wipesAll: Bool) async throws {
    let store = MemoryStore()
    var other = TokenGrant.sample
    other.clientID = "other"
    try await store.change { [other] in $0.add(other) }
    let configuration = ClientConfiguration(clientID: "c", environment: [:])
    let application = try PublicClientApplication(configuration: configuration, dependencies: .offline(store))
    var parameters = SignOutParameters()
    parameters.wipesAllAccounts = wipesAll
    try await application.signOut([], with: parameters) { _ in }
    #expect(try await store.load().accounts().isEmpty == wipesAll)
  }

  @Test("several accounts are signed out in one write, followed by one notification")
  func several() async throws {
    let identifiers = (0..<20).map { "uid\($0).utid" }
    var before = TokenCacheDocument()
    for identifier in identifiers + ["stays.utid"] {
      var grant = TokenGrant.sample
      grant.account.homeAccountID = identifier
      grant.account.username = "\(identifier)@contoso.com"
      before.add(grant)
      let redirectURI = "http://localhost/\(identifier)"
      before.recordSignIn(AccountKey(clientID: "c", homeAccountID: identifier), redirectURI: redirectURI)
    }
    let store = ObservedStore()
    try await store.base.change { [before] in $0 = before }
    let flow = SignOutFlow(context: .offline(.offline(store)), parameters: SignOutParameters())
    let all: [Account] = identifiers.map { .sample($0, username: "\($0)@contoso.com") }
    let signOuts = try await flow.removeTokens(of: all)
    #expect(store.locks == 1)
    #expect(signOuts.map(\.redirectURI) == identifiers.map { "http://localhost/\($0)" })
    #expect(signOuts.allSatisfy { $0.removedTokens && $0.refreshTokens.count == 1 })
    #expect(try await store.load().accounts().map(\.homeAccountID) == ["stays.utid"])
  }
}
