@testable import DemoProvider
import MSAuthCrypto
@testable import MSAuthOAuth
import TestSupport
import Testing

@Suite("Microsoft Entra's error numbers", .limitedConcurrency)
struct EntraNumberTests {
  @Test("the message has a plain sentence, the number, the support IDs, and a hint")
  func explained() async throws {
    let number = 65001
    let fixture = try await DemoProviderFixture()
    await fixture.provider.reject("invalid_grant", number: number)
    let login = try fixture.start(["login", "--no-browser", "--json"])
    let page = try await ScriptedBrowser().walk(from: try await login.printedURL(), as: "ada")
    let outcome = try await fixture.runner.outcome(of: login)

    let error = try outcome.json["error"]?["provider"]
    #expect(outcome.code == 2, "\(outcome)")
    #expect(error?["error"] == "invalid_grant" && error?["trace_id"] != nil, "\(outcome)")
    #expect(error?["codes"] == [.number(JSONValue.Number(number))], "\(outcome)")
    let meaning = try #require(AADSTS.entry(number)).meaning
    let lines = outcome.stderr.split(separator: "\n")
    #expect(lines.contains { $0.hasSuffix(meaning) }, "\(outcome)")
    #expect(lines.contains { $0.hasPrefix("msauth: code ") && $0.hasSuffix("AADSTS\(number)") }, "\(outcome)")
    #expect(lines.contains { $0.hasPrefix("msauth: correlation id ") }, "\(outcome)")
    #expect(lines.contains { $0.hasPrefix("msauth: trace id ") }, "\(outcome)")
    let more = "msauth: more at https://login.microsoftonline.com/error?code=\(number)"
    #expect(lines.contains { $0 == more }, "\(outcome)")
    let consent = "/organizations/adminconsent?client_id="
    #expect(lines.contains { $0.hasPrefix("msauth: hint: ") && $0.contains(consent) }, "\(outcome)")
    // The page has the same text.
    #expect(page.response.text.contains(meaning.escapedForHTML), "\(page.response.text)")
  }

  @Test("a tenant that doesn't exist is reported before the browser opens")
  func noTenant() async throws {
    let provider = try await DemoProvider.start(DemoOptions(algorithm: .es256))
    let authority = provider.entraAuthority(tenant: "nosuch.onmicrosoft.com")
    let identity = ["--client-id", provider.clientID, "--authority-type", "aad", "--authority", authority]
    try await CommandRunner().run(["login", "--no-browser"] + identity)
      .expect(1, "the tenant doesn't exist", "AADSTS90002", lacks: "sign in at")
  }

  @Test("doctor reports an unknown client ID with the tenant and a hint where to find the right one")
  func unknownClientID() async throws {
    let provider = try await DemoProvider.start(DemoOptions(algorithm: .es256))
    let wrong = "11111111-2222-3333-4444-55555555555f"
    let runner = try CommandRunner(environment: ["MSAUTH_CLIENT_ID": wrong])
    let identity = ["--authority-type", "aad", "--authority", provider.entraAuthority()]
    let message = "client ID \(wrong) isn't registered in tenant common (AADSTS700016)"
    let hint = "compare MSAUTH_CLIENT_ID with Overview in the app registration"
    let outcome = try await runner.run(["doctor", "--json"] + identity).expect(1).expectCheck("registration", "failed")
    let check = try outcome.check("registration")
    #expect(check?["message"]?.string == message && check?["hint"]?.string == hint, "\(outcome)")
  }
}
