import DemoProvider
import MSAuthCrypto
import MSAuthOAuth
import TestSupport
import Testing

/// A Microsoft Entra error, as its token endpoint sends it.
struct EntraError: Sendable, CustomTestStringConvertible {
  var number: Int
  var error: String
  var exit: Int32
  /// An excerpt of the hint.
  var hint: String

  var testDescription: String { "AADSTS\(number)" }

  static let all: [EntraError] = [
    EntraError(number: 50011, error: "invalid_request", exit: 1, hint: "register `http://localhost`"),
    EntraError(number: 65001, error: "invalid_grant", exit: 2, hint: "/organizations/adminconsent?client_id="),
    EntraError(number: 90094, error: "invalid_grant", exit: 2, hint: "/organizations/adminconsent?client_id="),
    EntraError(number: 700016, error: "unauthorized_client", exit: 1, hint: "check the client ID"),
    EntraError(number: 50076, error: "interaction_required", exit: 2, hint: "complete it in the browser"),
    EntraError(number: 50079, error: "interaction_required", exit: 2, hint: "enroll in the browser"),
    EntraError(number: 53003, error: "interaction_required", exit: 2, hint: "ask your administrator"),
    EntraError(number: 7_000_218, error: "invalid_client", exit: 1, hint: "Allow public client flows"),
    EntraError(number: 16000, error: "interaction_required", exit: 2, hint: "--prompt select_account"),
    EntraError(number: 50034, error: "invalid_grant", exit: 2, hint: "check the username"),
    EntraError(number: 90002, error: "invalid_request", exit: 1, hint: "check the tenant's name"),
    EntraError(number: 50105, error: "invalid_grant", exit: 2, hint: "Users and groups"),
    EntraError(number: 900439, error: "invalid_request", exit: 1, hint: "multiple_clouds_supported"),
  ]
}

@Suite("Microsoft Entra's error numbers", .limitedConcurrency)
struct EntraNumberTests {
  @Test("the message has a plain sentence, the number, the support IDs, and a hint", arguments: EntraError.all)
  func explained(_ refusal: EntraError) async throws {
    let provider = try await DemoProvider.start(DemoOptions(algorithm: .es256))
    await provider.refuse(refusal.error, number: refusal.number)
    let runner = CommandRunner(home: try Home())
    let login = try runner.start([
      "login", "--no-browser", "--store", "file", "--client-id", provider.clientID, "--authority-type", "aad",
      "--authority", provider.entraAuthority(), "--json",
    ])
    let page = try await ScriptedBrowser().walk(from: try await login.printedURL(), as: "ada")
    let outcome = try await runner.outcome(of: login)
    await provider.stop()

    let error = try JSONValue(parsing: outcome.stdout.utf8)["error"]?["provider"]
    #expect(outcome.code == refusal.exit, "\(outcome)")
    #expect(error?["error"]?.string == refusal.error && error?["trace_id"] != nil, "\(outcome)")
    #expect(error?["codes"] == [.number(JSONValue.Number(refusal.number))], "\(outcome)")
    let meaning = try #require(AADSTS.entry(refusal.number)).meaning
    let lines = outcome.stderr.split(separator: "\n")
    #expect(lines.contains { $0.hasSuffix(meaning) }, "\(outcome)")
    #expect(lines.contains { $0.hasPrefix("msauth: code ") && $0.hasSuffix("AADSTS\(refusal.number)") }, "\(outcome)")
    #expect(lines.contains { $0.hasPrefix("msauth: correlation id ") }, "\(outcome)")
    #expect(lines.contains { $0.hasPrefix("msauth: trace id ") }, "\(outcome)")
    let more = "msauth: more at https://login.microsoftonline.com/error?code=\(refusal.number)"
    #expect(lines.contains { $0 == more }, "\(outcome)")
    #expect(lines.contains { $0.hasPrefix("msauth: hint: ") && $0.contains(refusal.hint) }, "\(outcome)")
    // The page has the same text.
    #expect(page.response.text.contains(meaning.escapedForHTML), "\(page.response.text)")
  }

  @Test("a tenant that doesn't exist is reported before the browser opens")
  func noTenant() async throws {
    let provider = try await DemoProvider.start(DemoOptions(algorithm: .es256))
    let outcome = try await CommandRunner(home: try Home()).run([
      "login", "--no-browser", "--store", "file", "--client-id", provider.clientID, "--authority-type", "aad",
      "--authority", provider.entraAuthority(tenant: "nosuch.onmicrosoft.com"),
    ])
    #expect(outcome.code == 1 && !outcome.stderr.contains("sign in at"), "\(outcome)")
    #expect(outcome.stderr.contains("the tenant doesn't exist"), "\(outcome)")
    #expect(outcome.stderr.contains("AADSTS90002"), "\(outcome)")
    await provider.stop()
  }
}
