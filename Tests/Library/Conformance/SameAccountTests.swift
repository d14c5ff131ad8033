@testable import DemoProvider
import MSAuth
import MSAuthCache
import TestSupport
import Testing

@Suite("a refresh keeps the session and its user", .limitedConcurrency)
struct SameAccountTests {
  private static let aDay: Int64 = 24 * 60 * 60 + 1

  @Test(
    "if keys can't be fetched, cached keys keep the session valid",
    arguments: [ApplicationFixture.ProviderKind.oidc, .entra("common")]
  )
  func keys(_ kind: ApplicationFixture.ProviderKind) async throws {
    let (fixture, account) = try await ApplicationFixture(kind: kind).signedIn()
    // Entra's tenants have different URLs for the same keys.
    _ = try await fixture.renew(account)
    fixture.clock.advance(by: Self.aDay)
    await fixture.provider.set(faults: [.keys503])
    let first = try await fixture.renew(account)
    let second = try await fixture.renew(account)
    #expect(first.accessToken != second.accessToken)
  }

  @Test("without any keys, the refresh token isn't used")
  func noKeys() async throws {
    let documents = MemoryDocuments()
    let (fixture, account) = try await ApplicationFixture(documents: documents).signedIn()
    documents.forget { $0.hasSuffix("/keys") }
    await fixture.provider.set(faults: [.keys503])
    await fixture.provider.forgetRecord()
    let error = try await failure { try await fixture.renew(account) }
    #expect(error.code == .providerUnreachable, "\(error)")
    #expect(await !fixture.provider.record.contains { $0.path.hasSuffix("/token") })
    await fixture.provider.set(faults: [])
    _ = try await fixture.renew(account)
  }

  @Test("a request that returned another account's tokens is throttled for all scopes")
  func foreignTokensAreRequestedOnce() async throws {
    let (fixture, account) = try await ApplicationFixture([.refreshTokenInvalidSub], rotates: false).signedIn()
    await fixture.provider.forgetRecord()
    for scopes in [["User.Read"], ["User.Read"], ["openid"]] {
      let error = try await failure { try await fixture.renew(account) { $0.scopes = scopes } }
      #expect(error.reason == "id_token_refreshed_subject_changed", "\(error)")
    }
    #expect(await fixture.provider.record.count { $0.path.hasSuffix("/token") } == 1)
    // The old refresh token is kept, so the session works once the fault ends.
    await fixture.provider.set(faults: [])
    fixture.clock.advance(by: 121)
    #expect(try await fixture.renew(account).account.identifier == account.identifier)
  }

  @Test(
    "an invalid ID token is dropped and logged, and the session is kept",
    arguments: [Fault.refreshTokenExpiredIDToken, .sigNone]
  )
  func droppedIDToken(_ fault: Fault) async throws {
    let log = Notes()
    let adjust: (inout ClientConfiguration) -> Void = {
      $0.log = { if $0.level == .warning { log.add($0.message) } }
      $0.logLevel = .warning
      $0.logMasking = .secretsOnly
    }
    let fixture = try await ApplicationFixture(adjust: adjust)
    let first = try await fixture.signIn()
    await fixture.provider.set(faults: [fault])
    for _ in 0..<2 {
      let token = try await fixture.renew(first.account)
      #expect(token.account == first.account && token.account.username == "ada@contoso.example")
    }
    let stored = try await fixture.renew(first.account, force: false)
    #expect(stored.isFromCache && stored.idToken == first.idToken)
    #expect(log.all.count { $0.hasPrefix("the refreshed ID token: ") } == 2, "\(log.all)")
  }

  @Test("a response without an ID token belongs to the refreshed account")
  func withoutClientInfo() async throws {
    let (fixture, account) = try await ApplicationFixture([.refreshNoClientInfo], kind: .entra("common")).signedIn()
    for _ in 0..<3 { #expect(try await fixture.renew(account).account.id == account.id) }
    #expect(try await fixture.application.accounts().map(\.id) == [account.id])
    let cache = try await JSONValue(parsing: fixture.store.load().serialized())
    #expect(cache["RefreshToken"]?.object?.count == 1)
  }

  @Test("a name that only the sign-in returns is kept, not replaced by an identifier")
  func name() async throws {
    let fixture = try await ApplicationFixture([.scopeUserinfoClaims])
    let token = try await fixture.signIn()
    #expect(token.account.username == "ada@contoso.example")
    #expect(try await fixture.renew(token.account).account.username == "ada@contoso.example")
    #expect(try await fixture.application.accounts().map(\.username) == ["ada@contoso.example"])
  }
}
