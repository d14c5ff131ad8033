@testable import DemoProvider
import MSAuthCache
import MSAuthCrypto
import TestSupport
import Testing

@testable import MSAuth

@Suite("accounts of other authorities", .limitedConcurrency)
struct ForeignAccountTests {
  enum Origin: CaseIterable {
    case anotherIssuer, anotherHost
  }

  /// Signs in at another authority than the configured one, whose provider is `other`.
  private func foreignAccount(
    of origin: Origin
  ) async throws -> (fixture: ApplicationFixture, other: DemoProvider, result: TokenResult) {
    let fixture = try await ApplicationFixture(kind: .entra("common"))
    let (other, authority) =
      switch origin {
      case .anotherIssuer: (fixture.provider, try Authority(fixture.provider.oidcIssuer, kind: .oidc))
      case .anotherHost: try await anotherHost()
      }
    let result = try await fixture.signIn { $0.authority = authority }
    await fixture.provider.forgetRecord()
    await other.forgetRecord()
    return (fixture, other, result)
  }

  private func anotherHost() async throws -> (DemoProvider, Authority) {
    let provider = try await DemoProvider.start(DemoOptions(algorithm: .es256))
    return (provider, try Authority(provider.entraAuthority(), kind: .aad))
  }

  private func secrets(_ fixture: ApplicationFixture) async throws -> [String] {
    let cache = try await JSONValue(parsing: fixture.store.load().serialized())
    return ["AccessToken", "RefreshToken", "IdToken", "Account"].filter { cache[$0]?.object?.isEmpty == false }
  }

  @Test("are removed at sign-out; their provider isn't contacted, which is reported", arguments: Origin.allCases)
  func notContacted(_ origin: Origin) async throws {
    let (fixture, other, result) = try await foreignAccount(of: origin)
    let report = try await fixture.signOut(result.account) { $0.fromBrowser = true }
    #expect(report.removedTokens && report.revocation == .failed && report.browser == .failed)
    #expect(report.problems.count == 1, "\(report.problems)")
    #expect(report.problems.allSatisfy { $0.contains(result.account.environment) && $0.contains("n't contacted") })
    #expect(try await secrets(fixture).isEmpty)
    for provider in [fixture.provider, other] { #expect(await provider.record.isEmpty, "a provider was contacted") }
  }

  @Test("are removed and revoked if the sign-out names their provider", arguments: Origin.allCases)
  func named(_ origin: Origin) async throws {
    let (fixture, other, result) = try await foreignAccount(of: origin)
    let report = try await fixture.signOut(result.account) { ($0.authority, $0.fromBrowser) = (result.authority, true) }
    #expect(report.removedTokens && report.problems.isEmpty, "\(report.problems)")
    #expect(report.revocation == (origin == .anotherIssuer ? .revoked : .notOffered) && report.browser == .confirmed)
    #expect(try await secrets(fixture).isEmpty)
    #expect(await other.record.contains { $0.path.hasSuffix("/logout") })
  }

  @Test("are removed without a request, and the configured provider's account is kept")
  func removeAccount() async throws {
    let (fixture, _, result) = try await foreignAccount(of: .anotherIssuer)
    let own = try await fixture.signIn().account
    #expect(try await fixture.application.removeAccount(result.account))
    #expect(try await fixture.application.removeAccount(result.account) == false)
    #expect(try await fixture.application.accounts().map(\.id) == [own.id])
    _ = try await fixture.renew(own)
  }

  @Test("are the single account of an application in single account mode")
  func single() async throws {
    let (fixture, _, result) = try await foreignAccount(of: .anotherIssuer)
    let application = try fixture.sibling { $0.accountMode = .single }
    let before = try await fixture.store.load()
    let error = try await failure { try await application.signIn(with: TokenParameters(scopes: ["User.Read"])) }
    #expect(error.reason == "single_account_taken" && error.message.contains(result.account.environment) == true)
    #expect(try await fixture.store.load() == before)
    // The same account can sign in again.
    var parameters = TokenParameters(scopes: ["User.Read"])
    parameters.authority = result.authority
    _ = try await application.signIn(with: parameters)
    #expect(try await application.signOut(result.account).removedTokens)
    _ = try await application.signIn(with: TokenParameters(scopes: ["User.Read"]))
  }
}
