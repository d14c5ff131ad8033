@testable import DemoProvider
import TestSupport
import Testing

@Suite("a third-party resource server: Apache's mod_auth_openidc", .limitedConcurrency)
struct ResourceServerTests {
  @Test("Apache accepts a valid JWT and rejects an altered or expired one, whose challenge gets a new one")
  func checkedLocally() async throws {
    let session = try await ForeignSession(.idpyoidc, signing: "ES256")
    _ = try await session.logIn()
    let keys = ["OIDCOAuthServerMetadataURL \(session.provider.authority)/.well-known/openid-configuration"]
    let apache = try await ApacheServer(keys)
    let token = try await session.run("token").stdout.filter { $0 != "\n" }
    let payload = try #require(token.split(separator: ".").dropFirst().first.flatMap { Base64URL.decode($0) })
    let subject = try #require(try JSONValue(parsing: payload)["sub"]?.string)

    let response = try await apache.read(with: token)
    #expect(response.status == 200 && response.body.contains(subject), "\(response)")
    try await session.run("graph", "/me", "--endpoint", apache.url, "--no-browser").expect(0, output: subject)

    // Without a token it sends a challenge, which the stored token satisfies.
    let none = try await apache.read(with: nil)
    #expect(none.status == 401)
    try await session.run("token", "--www-authenticate", try #require(none.header("www-authenticate")))
      .expect(0, stdout: token + "\n")

    let signature = try #require(token.utf8.lastIndex(of: UInt8(ascii: "."))).samePosition(in: token)!
    let first = token.index(after: signature)
    let altered = token[..<first] + (token[first] == "A" ? "B" : "A") + token[token.index(after: first)...]
    let rejected = try await apache.read(with: String(altered))
    #expect(rejected.status == 401, "\(rejected)")
    #expect(rejected.header("www-authenticate")?.contains("invalid_token") == true, "\(rejected)")

    // A server whose clock is past the token's expiry.
    let late = try await ApacheServer(keys, clock: "+6m")
    let expired = try await late.read(with: token)
    #expect(expired.status == 401)
    let challenge = try #require(expired.header("www-authenticate"))
    let renewed = try await session.run("token", "--www-authenticate", challenge)
    #expect(renewed.code == 0 && renewed.stdout != token + "\n", "\(challenge)\n\(renewed)")
    #expect(try await apache.read(with: renewed.stdout.filter { $0 != "\n" }).status == 200)
  }
}
