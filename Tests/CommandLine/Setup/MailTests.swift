import TestSupport
import Testing

@Suite("mail servers and clients", .limitedConcurrency)
struct MailTests {
  @Test("Dovecot accepts --output xoauth2 and oauthbearer, and curl signs in with the token")
  func dovecot() async throws {
    var fixture = try await ProviderMockFixture.signedIn()
    let server = try await DovecotServer(userinfo: "\(fixture.provider.authority)/userinfo")
    let address = "127.0.0.1:\(server.port)"

    let xoauth2 = try await fixture.run("token", "--output", "xoauth2")
    let signedIn = try await Self.authenticate("XOAUTH2", xoauth2.stdout, server)
    #expect(signedIn.contains("a OK"), "\(signedIn)")
    let oauthBearer = try await fixture.run("token", "--output", "oauthbearer", "--server", address)
    #expect(try await Self.authenticate("OAUTHBEARER", oauthBearer.stdout, server).contains("a OK"))
    let response = try #require(Data(base64Encoded: String(oauthBearer.stdout.dropLast())))
    let words = "\u{1}host=127.0.0.1\u{1}port=\(server.port)\u{1}"
    #expect(String(decoding: response, as: UTF8.self).contains(words), "\(oauthBearer)")
    // The token opens no other user's mailbox.
    let foreign = try await fixture.run("token", "--output", "xoauth2", "--mail-address", "bob@example.org")
    #expect(!(try await Self.authenticate("XOAUTH2", foreign.stdout, server)).contains("a OK"))

    let script =
      #"printf 'oauth2-bearer = "%s"\n' "$("$@")" | curl -sS -K - --user anna.mail@example.org: "imap://$0/""#
    fixture.runner.prefix = ["/bin/sh", "-c", script, address]
    try await fixture.run("token").expect(0, output: "INBOX")
  }

  /// Signs in over IMAP with the initial response on the same line (RFC 4959), and returns the server's lines.
  private static func authenticate(
    _ mechanism: String,
    _ response: String,
    _ server: DovecotServer
  ) async throws -> String {
    try await blocking {
      let connection = try TCPConnection(port: server.port)
      try connection.send(Array("a AUTHENTICATE \(mechanism) \(response.dropLast())\r\n".utf8))
      var lines = ""
      while !lines.contains("\r\na ") {
        let bytes = try connection.receive()
        if bytes.isEmpty { break }
        lines += String(decoding: bytes, as: UTF8.self)
        // The client has to acknowledge the error (RFC 7628 §3.2.3).
        if lines.contains("\r\n+ ") { try connection.send(Array("AQ==\r\n".utf8)) }
      }
      return lines
    }
  }
}
