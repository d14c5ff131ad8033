import TestSupport
import Testing

@Suite("forms of the token", .limitedConcurrency)
struct TokenFormTests {
  @Test("--output id-token, xoauth2, oauthbearer and exec-credential print the token as their readers take it")
  func forms() async throws {
    let fixture = try await ProviderMockFixture.signedIn()
    let token = try #require(fixture.provider.proxy.values(of: "access_token").first)
    func form(_ arguments: String...) async throws -> String {
      let outcome = try await fixture.run(["token", "--output"] + arguments)
      #expect(outcome.code == 0 && outcome.stderr == "", "\(outcome)")
      return String(outcome.stdout.dropLast())
    }
    func decoded(_ base64: String) throws -> String {
      String(decoding: try #require(Data(base64Encoded: base64)), as: UTF8.self)
    }
    let idToken = try #require(fixture.provider.proxy.values(of: "id_token").first)
    #expect(try await form("id-token") == idToken)
    // The ID token's address, not the username.
    #expect(
      try decoded(await form("xoauth2")) == "user=anna.mail@example.org\u{1}auth=Bearer \(token)\u{1}\u{1}"
    )
    #expect(
      try decoded(await form("oauthbearer", "--server", "imap.example.org:993", "--mail-address", "team@example.org"))
        == "n,a=team@example.org,\u{1}host=imap.example.org\u{1}port=993\u{1}auth=Bearer \(token)\u{1}\u{1}"
    )
    let credential = try JSONValue(parsing: await form("exec-credential").utf8)
    #expect(credential["apiVersion"]?.string == "client.authentication.k8s.io/v1")
    #expect(credential["status"]?["token"]?.string == token)
    let ofIDToken = try JSONValue(parsing: await form("exec-credential", "--id-token").utf8)
    #expect(ofIDToken["status"]?["token"]?.string == idToken)

    let json = try JSONValue(parsing: await form("json").utf8)
    #expect(json["account"]?["email"]?.string == "anna.mail@example.org")
    #expect(json["id_token_claims"]?["sub"]?.string == ProviderMock.subject, "\(json)")
  }

  @Test("the version that kubectl asks for decides, and an unknown one is exit 78 before anything else happens")
  func version() async throws {
    let fixture = try await ProviderMockFixture()
    var runner = fixture.runner
    runner.environment["KUBERNETES_EXEC_INFO"] = """
      {"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1alpha1","spec":{"interactive":true}}
      """
    let outcome = try await runner.run(["token"] + fixture.identity + ["--output", "exec-credential", "--interactive"])
    #expect(outcome.code == 78 && outcome.stdout == "", "\(outcome)")
    #expect(outcome.stderr.contains("client.authentication.k8s.io/v1"), "\(outcome)")
  }
}
