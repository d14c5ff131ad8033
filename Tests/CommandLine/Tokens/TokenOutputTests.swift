import TestSupport
import Testing

@Suite("msauth token's output", .limitedConcurrency)
struct TokenOutputTests {
  @Test("every token output format holds the token; the expiry in JSON is the same in Unix seconds and RFC 3339 UTC")
  func outputFormats() async throws {
    let fixture = try await ProviderMockFixture.signedIn()
    let value = try #require(fixture.provider.proxy.values(of: "access_token").first)
    let idToken = try #require(fixture.provider.proxy.values(of: "id_token").first)
    for (format, expected) in [
      ("token", value), ("header", "Authorization: Bearer \(value)"), ("id-token", idToken), ("json", nil),
    ] {
      let outcome = try await fixture.run("token", "--output", format).expect(0, stderr: "")
      if let expected {
        #expect(outcome.stdout == expected + "\n", "\(outcome)")
        continue
      }
      let result = try outcome.json
      #expect(result["version"] == 1, "\(outcome)")
      #expect(result["access_token"]?.string == value && result["account"]?["email"] == "anna.mail@example.org")
      #expect(result["id_token_claims"]?["sub"]?.string == ProviderMock.subject, "\(outcome)")
      let expiry = Date(timeIntervalSince1970: Double(try #require(result["expires_on"]?.integer)))
      #expect((3000...3700).contains(expiry.timeIntervalSinceNow), "\(outcome)")
      let text = expiry.formatted(Date.ISO8601FormatStyle(timeZone: .gmt))
      #expect(result["expires_on_utc"]?.string == text, "\(outcome)")
    }
  }

  @Test("a token that can't reach --min-validity is printed with a warning")
  func shortLived() async throws {
    let fixture = try await ProviderMockFixture.signedIn()
    let enough = try await fixture.run("token", "--min-validity", "600")
    #expect(enough.code == 0 && !enough.stdout.isEmpty && enough.stderr.isEmpty, "\(enough)")
    let short = try await fixture.run("token", "--min-validity", "99999")
    let warning = "less than --min-validity, so each call requests a new token"
    #expect(short.code == 0 && !short.stdout.isEmpty && short.stderr.contains(warning), "\(short)")
  }
}
