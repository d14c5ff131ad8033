@testable import DemoProvider
import TestSupport
import Testing

@testable import MSAuth

@Suite("a sign-in for one account", .limitedConcurrency)
struct ExpectedAccountTests {
  enum Request: CaseIterable {
    case account, username, identifier
  }

  @Test("fails if another one signs in, which is stored, and the page shows it", arguments: Request.allCases)
  func other(_ request: Request) async throws {
    let fixture = try await ApplicationFixture(kind: .entra("common"))
    let alan = try #require(DemoUser.named("alan"))
    var parameters = TokenParameters(scopes: ["User.Read"])
    switch request {
    case .account:
      let environment = fixture.application.configuration.authority.environment
      parameters.account = Account(identifier: alan.homeAccountID, username: alan.username, environment: environment)
    case .username: parameters.username = alan.username
    case .identifier: parameters.username = alan.homeAccountID
    }
    let error = try await failure { try await fixture.application.signIn(with: parameters) }
    #expect(error.code == .accountRequired && error.reason == .otherAccount, "\(error)")
    #expect(try await fixture.application.accounts().map(\.username) == ["ada@contoso.example"])
  }

  @Test(
    "returns its token",
    arguments: ["ada@contoso.example", "ADA@contoso.example", DemoUser.named("ada")?.homeAccountID]
  )
  func same(name: String?) async throws {
    let fixture = try await ApplicationFixture(kind: .entra("common"))
    for _ in 0..<2 {
      let result = try await fixture.signIn { $0.username = name }
      #expect(result.account.username == "ada@contoso.example")
    }
  }

  @Test("returns its token if another library stored its ID in capitals, and keeps that ID")
  func capitals() async throws {
    let fixture = try await ApplicationFixture(kind: .entra("common"))
    let ada = try #require(DemoUser.named("ada"))
    let environment = fixture.application.configuration.authority.environment
    let entry = AccountEntry(
      homeAccountID: ada.homeAccountID.uppercased(),
      environment: environment,
      realm: ada.tenant.id,
      localAccountID: ada.objectID,
      username: ada.username,
      authorityType: "MSSTS"
    )
    try await fixture.store.change { $0.storeAccount(entry) }
    let account = Account(identifier: entry.homeAccountID, username: ada.username, environment: environment)
    #expect(try await fixture.signIn { $0.account = account }.account.id == account.id)
    #expect(try await fixture.application.accounts().map(\.identifier) == [account.identifier])
  }

  @Test("is rejected before the browser opens if no Microsoft account has the name")
  func impossible() async throws {
    let fixture = try await ApplicationFixture(kind: .entra("common"))
    let error = try await failure { try await fixture.signIn { $0.username = "ada" } }
    #expect(error.code == .invalidParameter && error.reason == "account_unknown", "\(error)")
    #expect(await fixture.provider.record.allSatisfy { !$0.path.contains("authorize") })
  }

  @Test("is for the account's issuer: the same ID at another one is another account")
  func issuer() throws {
    func account(_ id: String, _ realm: String?) -> Account {
      Account(identifier: id, username: "ada", environment: "id.example", realm: realm)
    }
    var expected = try #require(ExpectedAccount(account("1", "a"), named: nil))
    #expect(expected.matches(account("1", "a")) && !expected.matches(account("1", "b")))
    expected = try #require(ExpectedAccount(account("\u{e9}", "a"), named: nil))
    #expect(!expected.matches(account("e\u{301}", "a")) && !expected.matches(account("\u{c9}", "a")))
    expected = try #require(ExpectedAccount(account("UID.UTID", nil), named: nil))
    #expect(expected.matches(account("uid.utid", nil)) && !expected.matches(account("uid.utid", "a")))
    expected = try #require(ExpectedAccount(nil, named: "Sub"))
    #expect(expected.matches(account("Sub", "a")) && !expected.matches(account("sub", "a")))
  }

  @Test(
    "is found among the accounts that its authority serves",
    arguments: [
      ("common", true, true), ("organizations", true, false), ("consumers", false, true),
      (DemoUser.named("ada")?.tenant.id ?? "", true, false), (DemoUser.named("alan")?.tenant.id ?? "", false, false),
    ]
  )
  func tenants(tenant: String, listsAda: Bool, listsGrace: Bool) async throws {
    let fixture = try await ApplicationFixture(kind: .entra("common"))
    let ada = try await fixture.signIn().account
    let authority = try Authority(fixture.provider.entraAuthority(tenant: tenant), kind: .aad)
    let application = try fixture.sibling { $0.authority = authority }
    #expect(try await application.accounts().map(\.id) == (listsAda ? [ada.id] : []))
    #expect(try await application.currentAccount(remembers: false).account?.id == (listsAda ? ada.id : nil))
    let audience = await TenantAudience(authority, application.context)
    let grace = try #require(DemoUser.named("grace"))
    #expect(audience.admits(grace.homeAccountID, realms: []) == listsGrace)
    // A guest has signed in there.
    #expect(audience.admits("1.2", realms: [tenant]) || tenant == "consumers")
  }
}
