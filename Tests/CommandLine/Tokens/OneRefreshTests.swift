@testable import DemoProvider
import TestSupport
import Testing

@Suite("one refresh among many processes", .serialized, .limitedConcurrencyFirst)
struct OneRefreshTests {
  static let crowd = 20

  @Test("20 processes with an expired token: one token request, the same token 20 times")
  func crowd() async throws {
    let fixture = try await DemoProviderFixture(DemoOptions(rotates: true), signedIn: "ada")
    try fixture.expireAccessTokens()
    let before = try fixture.secrets("RefreshToken")
    await fixture.provider.forgetRecord()

    let outcomes = try await atOnce(Self.crowd) { try await fixture.run("token") }
    #expect(outcomes.allSatisfy { $0.code == 0 && $0.stderr.isEmpty }, "\(outcomes.filter { $0.code != 0 })")
    #expect(Set(outcomes.map(\.stdout)).count == 1)
    #expect(outcomes.first?.stdout.hasPrefix("demo-at-") == true)
    #expect(await fixture.grants() == ["refresh_token"])
    // The refresh token was used once; its successor is stored.
    #expect(try fixture.secrets("RefreshToken").isDisjoint(with: before))
    #expect(try fixture.secrets("AccessToken") == Set(outcomes.map { String($0.stdout.dropLast()) }))
    try await fixture.run("token", "--force-refresh").expect(0)
    #expect(fixture.home.files(below: "state/msauth") == ["token_cache.json"])
  }

  // A sandbox has a runtime directory of its own.
  @Test(
    "two homes, or two sandboxes, share the session keyring's item and its lock: no refresh token is sent twice",
    arguments: ["XDG_STATE_HOME", "XDG_RUNTIME_DIR"]
  )
  func sharedKeyring(variable: String) async throws {
    let fixture = try await DemoProviderFixture(DemoOptions(rotates: true), inKeyring: true, signedIn: "ada")
    var other = fixture
    let directory = fixture.home.path("other")
    mkdir(directory, 0o700)
    other.runner.environment[variable] = directory
    await fixture.provider.forgetRecord()
    async let first = atOnce(4) { try await fixture.run("token", "--force-refresh") }
    async let second = atOnce(4) { [other] in try await other.run("token", "--force-refresh") }
    let outcomes = try await first + second
    #expect(outcomes.allSatisfy { $0.code == 0 }, "\(outcomes.filter { $0.code != 0 })")
    let sent = await fixture.provider.record.compactMap { $0["refresh_token"] }
    #expect(Set(sent).count == sent.count)
    try await fixture.run("token", "--force-refresh").expect(0)
  }

  @Test("a refresh token that another program already replaced doesn't end the session")
  func replacedElsewhere() async throws {
    let fixture = try await DemoProviderFixture(DemoOptions(rotates: false), signedIn: "ada")
    try fixture.expireAccessTokens()
    let good = try #require(try fixture.secrets("RefreshToken").first)
    try fixture.change("RefreshToken") { $0["secret"] = "used-by-another-program" }
    await fixture.provider.forgetRecord()

    let child = try fixture.start(["token"])
    try await eventually("the rejected request") { await !fixture.grants().isEmpty }
    try fixture.change("RefreshToken") { $0["secret"] = .string(good) }
    try await fixture.runner.outcome(of: child).expect(0)
    #expect(await fixture.grants() == ["refresh_token", "refresh_token"])
  }
}
