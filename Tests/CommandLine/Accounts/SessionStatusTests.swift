@testable import DemoProvider
import TestSupport
import Testing

@Suite("msauth status", .limitedConcurrency)
struct SessionStatusTests {
  @Test("after a rejected refresh token, status exits 2 without a request until the next sign-in")
  func rejected() async throws {
    let fixture = try await DemoProviderFixture(signedIn: "ada")
    try await fixture.run("status").expect(0)
    await fixture.provider.set(faults: [.refreshBadToken])
    try await fixture.run("token", "--force-refresh").expect(2)
    await fixture.provider.set(faults: [])
    await fixture.provider.forgetRecord()
    let status = try await fixture.run("status")
      .expect(2, "sign in again as \(ada): the provider rejected the account's refresh token", stdout: "\(ada)\n")
    let hint = status.stderr.split(separator: "\n").first { $0.contains("hint: run msauth login ") }
    #expect(hint?.hasSuffix(" --account \(ada)") == true, "\(status)")
    let json = try await fixture.run("status", "--json").json
    #expect(json["sign_in_needed"] == true && json["account"]?["username"]?.string == ada, "\(json)")
    #expect(json["error"]?["reason"] == "refresh_token_refused" && json["error"]?["exit"] == 2, "\(json)")
    #expect(await fixture.provider.record.isEmpty)

    try await fixture.signIn()
    try await fixture.run("status").expect(0)
  }

  @Test("an expired access token without a refresh token requires a sign-in")
  func noRefreshToken() async throws {
    let fixture = try await DemoProviderFixture(signedIn: "ada")
    try fixture.remove("RefreshToken")
    #expect(try await fixture.run("status").code == 0, "the access token is still valid")
    try fixture.expireAccessTokens()
    try await fixture.run("status").expect(2, "it has no refresh token")
  }

  @Test("--json has account, authority, store, scopes and the token's expiry")
  func json() async throws {
    let fixture = try await DemoProviderFixture(signedIn: "ada")
    let json = try await fixture.run("status", "--json").json
    #expect(json["version"] == 1 && json["sign_in_needed"] == false && json["error"] == nil, "\(json)")
    #expect(json["authority"]?.string == fixture.provider.entraAuthority(), "\(json)")
    #expect(json["store"]?.string?.contains(fixture.home.path(Home.cacheFile)) == true, "\(json)")
    #expect(json["scopes"]?.array?.contains("User.Read") == true, "\(json)")
    let token = try await fixture.run("token", "--json").json
    #expect(json["expires_on"]?.integer != nil && json["expires_on"] == token["expires_on"], "\(json)")
    #expect(json["account"]?["tenant"]?.string == DemoUser.named("ada")?.tenant.id, "\(json)")
  }

  @Test("a terminal gets rows, and a hint if no account is signed in")
  func terminal() async throws {
    let fixture = try await DemoProviderFixture()
    let signedOut = try await fixture.runOnTerminal("status")
    #expect(signedOut.code == 2 && signedOut.stdout.hasPrefix("Signed out\r\n"), "\(signedOut)")
    #expect(signedOut.stdout.contains("\u{1b}[33mhint:\u{1b}[0m run msauth login"), "\(signedOut)")
    try await fixture.signIn()
    let shown = try await fixture.runOnTerminal("status").expect(0)
    let names = shown.stdout.split(whereSeparator: \.isNewline).compactMap { $0.split(separator: " ").first }
    #expect(names == ["account", "tenant", "authority", "store", "token", "scopes"], "\(shown)")
    #expect(shown.stdout.contains("valid for "), "\(shown)")
  }
}
