@testable import DemoProvider
import TestSupport
import Testing

@testable import MSAuth

/// The demo provider's `/adfs` and `/oidc` are separate issuers with the same subjects.
@Suite("two issuers on one host", .limitedConcurrency)
struct TwoIssuersTests {
  static let kinds: [Authority.Kind] = [.oidc, .adfs]

  private static let tokenPath = "/adfs/oauth2/token"

  /// The same application and store, with the other issuer.
  private func sibling(of fixture: ApplicationFixture, _ kind: Authority.Kind) throws -> PublicClientApplication {
    let authority = try Authority("\(fixture.provider.baseURL)/adfs", kind: kind)
    return try fixture.sibling { $0.authority = authority }
  }

  /// The application and its sibling, with a user of both issuers.
  private func signedInAtBoth(
    _ kind: Authority.Kind
  ) async throws -> (ApplicationFixture, PublicClientApplication, here: TokenResult, there: TokenResult) {
    let fixture = try await ApplicationFixture()
    let elsewhere = try sibling(of: fixture, kind)
    let here = try await fixture.signIn()
    return (fixture, elsewhere, here, try await fixture.signIn { $0.authority = elsewhere.configuration.authority })
  }

  private func grants(_ fixture: ApplicationFixture) async -> [String] {
    await fixture.provider.record.filter { $0["grant_type"] != nil }.map(\.path)
  }

  @Test("an account at both has tokens of each, and each is refreshed at its own issuer", arguments: kinds)
  func both(_ kind: Authority.Kind) async throws {
    let (fixture, elsewhere, here, there) = try await signedInAtBoth(kind)
    #expect(here.account.identifier == there.account.identifier && here.account.id != there.account.id)
    #expect(try await fixture.application.accounts().map(\.id) == [here.account.id])
    #expect(try await elsewhere.accounts().map(\.id) == [there.account.id])
    await fixture.provider.forgetRecord()
    #expect(try await fixture.renew(here.account, force: false).accessToken == here.accessToken)
    #expect(try await elsewhere.silent(there.account).accessToken == there.accessToken)
    #expect(await grants(fixture).isEmpty)

    let crossed = try await failure { try await elsewhere.silent(here.account) }
    #expect(crossed.reason == "account_elsewhere", "the same subject is a different user there")
    let kept = try await elsewhere.silent(there.account)
    #expect(kept.tenantID == nil && there.tenantID == nil, "an issuer's path isn't a tenant")
    _ = try await fixture.renew(here.account)
    _ = try await elsewhere.silent(there.account, force: true)
    _ = try await fixture.renew(here.account)
    #expect(await grants(fixture) == ["/oidc/token", Self.tokenPath, "/oidc/token"])
  }

  @Test("without an account, the token is for the one at the requested issuer", arguments: kinds)
  func requested(_ kind: Authority.Kind) async throws {
    let fixture = try await ApplicationFixture()
    let authority = try sibling(of: fixture, kind).configuration.authority
    let there = try await fixture.signIn { $0.authority = authority }
    var parameters = TokenParameters(scopes: ["User.Read"])
    (parameters.authority, parameters.interaction) = (authority, nil)
    #expect(try await fixture.application.token(with: parameters).accessToken == there.accessToken)
    _ = try await fixture.signIn()
    #expect(try await fixture.application.token(with: parameters).accessToken == there.accessToken)
  }

  @Test("signing out of one keeps the other signed in, and only the former prompts for a password", arguments: kinds)
  func signOut(_ kind: Authority.Kind) async throws {
    let (fixture, elsewhere, here, there) = try await signedInAtBoth(kind)
    #expect(try await elsewhere.signOut(there.account).removedTokens)

    #expect(try await elsewhere.accounts().isEmpty)
    let error = try await failure { try await elsewhere.silent(there.account) }
    #expect(error.reason == .signedOut)
    #expect(try await fixture.application.accounts().map(\.id) == [here.account.id])
    #expect(try await fixture.renew(here.account, force: false).accessToken == here.accessToken)
    _ = try await fixture.renew(here.account)

    await fixture.provider.forgetRecord()
    _ = try await fixture.signIn { $0.account = here.account }
    _ = try await fixture.signIn { ($0.authority, $0.account) = (elsewhere.configuration.authority, there.account) }
    let prompts = await fixture.provider.record.filter { $0["code_challenge"] != nil }.map { $0["prompt"] }
    // The first one requests consent for its listed `offline_access`.
    #expect(prompts == ["consent", "login"])
  }
}

@Suite("the issuer in the redirect", .limitedConcurrency)
struct IssuerTests {
  @Test(
    "a redirect from another issuer, or another tenant than the ID token's, ends the sign-in, and nothing is stored",
    arguments: [Fault.invalidAuthorizationResponseIss, .otherTenantIss]
  )
  func foreign(_ fault: Fault) async throws {
    let fixture = try await ApplicationFixture([fault], kind: .entra("common"))
    let error = try await failure { try await fixture.signIn() }
    #expect(error.code == .invalidResponse && error.reason == "iss_mismatch", "\(error)")
    let isCodeSent = await fixture.provider.record.contains { $0.path.hasSuffix("/token") }
    #expect(isCodeSent == (fault == .otherTenantIss))
    #expect(await fixture.storeIsEmpty)
  }
}
