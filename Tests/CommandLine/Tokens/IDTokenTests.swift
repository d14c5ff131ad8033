import TestSupport
import Testing

@Suite("ID tokens from the cache", .limitedConcurrency)
struct IDTokenTests {
  @Test("an expired ID token is renewed although the access token is valid")
  func renewal() async throws {
    let fixture = try await DemoProviderFixture(signedIn: "ada")
    let past = try await Self.expireIDToken(printedBy: fixture.run("token", "--output", "id-token"), in: fixture.home)
    try await fixture.run("token").expect(0)
    #expect(await fixture.grants() == ["authorization_code"], "the access token is valid")

    let renewed = try await fixture.run("token", "--output", "id-token")
    #expect(renewed.code == 0 && renewed.stdout != past + "\n", "\(renewed)")
    let again = try await fixture.run("token", "--output", "exec-credential", "--id-token")
    let token = try JSONValue(parsing: again.stdout.utf8)["status"]?["token"]?.string
    #expect(token.map { $0 + "\n" } == renewed.stdout, "\(again)")
    #expect(await fixture.grants() == ["authorization_code", "refresh_token"])
  }

  @Test("if a refresh returns no ID token, an expired one exits 2")
  func noRenewal() async throws {
    let fixture = try await ProviderMockFixture.signedIn()
    _ = try await Self.expireIDToken(printedBy: fixture.run("token", "--output", "id-token"), in: fixture.home)
    try await fixture.run("token", "--output", "id-token")
      .expect(2, "id_token_missing", "hint: run msauth login", stdout: "")
    try await fixture.run("token").expect(0)
  }

  /// Expires the stored ID token; its signature isn't verified again.
  private static func expireIDToken(printedBy outcome: CommandRunner.Outcome, in home: Home) async throws -> String {
    let parts = outcome.stdout.split { $0 == "." || $0 == "\n" }
    guard parts.count == 3, let payload = Base64URL.decode(parts[1]),
      var claims = try JSONValue(parsing: payload).object
    else { throw TestFailure("no ID token: \(outcome)") }
    claims["iat"] = 1000
    claims["exp"] = 2000
    let past = "\(parts[0]).\(Base64URL.encode(JSONValue.object(claims).serialized())).\(parts[2])"
    try home.changeEntries(of: "IdToken") { $0["secret"] = .string(past) }
    return past
  }
}
