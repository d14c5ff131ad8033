import MSAuthCore
import MSAuthCrypto
import MSAuthJOSE
import Testing

@Suite("parsing signed tokens")
struct JSONWebSignatureTests {
  private func refusal(of token: String) -> TokenRefusal.Rule? {
    do {
      _ = try JSONWebSignature(parsing: Secret(token))
      return nil
    } catch {
      return error.rule
    }
  }

  private func token(header: String, payload: String = "{}", signature: String = "c2ln") -> String {
    "\(Base64URL.encode(header.utf8)).\(Base64URL.encode(payload.utf8)).\(signature)"
  }

  @Test("a supported header is accepted")
  func accepted() throws {
    let token = try JSONWebSignature(
      parsing: Secret(token(header: #" {"typ":"JWT", "alg":"RS256","kid":"k","x5t":"t","jwk":{"kty":"oct"}} "#))
    )
    #expect(token.algorithm == .rs256)
    #expect(token.keyID == "k")
    #expect(token.type == "JWT")
    #expect(token.payload == Array("{}".utf8))
  }

  static let headers: [(header: String, code: TokenRefusal.Rule)] = [
    (#"{"alg":"none"}"#, .unsigned),
    (#"{"alg":"None"}"#, .unsigned),
    (#"{"alg":"NONE"}"#, .unsigned),
    (#"{"alg":"nOnE"}"#, .unsigned),
    (#"{"alg":"HS256"}"#, .symmetricAlgorithm),
    (#"{"alg":"HS384"}"#, .symmetricAlgorithm),
    (#"{"alg":"HS512"}"#, .symmetricAlgorithm),
    (#"{"alg":"hs256"}"#, .symmetricAlgorithm),
    (#"{"alg":"ES256K"}"#, .algorithmUnsupported),
    (#"{"alg":"Ed448"}"#, .algorithmUnsupported),
    (#"{"alg":"ed25519"}"#, .algorithmUnsupported),
    (#"{"alg":"RS1"}"#, .algorithmUnsupported),
    (#"{"alg":"rs256"}"#, .algorithmUnsupported),
    (#"{"alg":"RSA-OAEP"}"#, .algorithmUnsupported),
    (#"{"alg":""}"#, .algorithmUnsupported),
    (#"{"alg":"RS256","crit":["exp"]}"#, .criticalHeader),
    (#"{"alg":"RS256","crit":[]}"#, .criticalHeader),
    (#"{"alg":"RS256","crit":null}"#, .criticalHeader),
    (#"{"alg":"RS256","crit":["b64"],"b64":false}"#, .criticalHeader),
    (#"{"alg":"RS256","alg":"none"}"#, .duplicateMember),
    (#"{"alg":"RS256","alg":"RS256"}"#, .duplicateMember),
    (#"{"alg":"RS256","\u0061lg":"none"}"#, .duplicateMember),
    (#"{"alg":"RS256","kid":"a","kid":"b"}"#, .duplicateMember),
    (#"{"alg":"RS256","typ":"JWT","typ":"JWT"}"#, .duplicateMember),
    (#"{"alg":"RS256","crit":[],"crit":[]}"#, .duplicateMember),
    (#"{"alg":"RS256","x":{"a":[{}]},"x":1}"#, .duplicateMember),
    (#"{}"#, .malformed),
    (#"{"alg":null}"#, .malformed),
    (#"{"alg":5}"#, .malformed),
    (#"{"alg":["RS256"]}"#, .malformed),
    (#"{"alg":"RS256","kid":5}"#, .malformed),
    (#"{"alg":"RS256","kid":null}"#, .malformed),
    (#"{"alg":"RS256","typ":{}}"#, .malformed),
    (#"["RS256"]"#, .malformed),
    (#""RS256""#, .malformed),
    ("null", .malformed),
    ("", .malformed),
    (#"{"alg":"RS256""#, .malformed),
    (#"{"alg":"RS256"}}"#, .malformed),
    (#"{"alg":"RS256"} {}"#, .malformed),
    (#"{'alg':'RS256'}"#, .malformed),
    ("\u{FEFF}{\"alg\":\"RS256\"}", .malformed),
    ("{\"alg\":\"RS256\",\"x\":\(String(repeating: "[", count: 100_000))", .malformed),
    ("{\"alg\":\"RS256\",\"x\":\(String(repeating: "{\"x\":", count: 30_000))", .malformed),
  ]

  @Test("an unsupported header is rejected", arguments: headers)
  func refusedHeader(header: String, code: TokenRefusal.Rule) {
    #expect(refusal(of: token(header: header)) == code)
  }

  @Test("equal names inside different values aren't duplicates")
  func nestedNames() throws {
    let header = #"{"alg":"RS256","x":{"alg":"none","kid":"a"},"y":["alg",{"alg":1}],"z":"\"alg\":","kid":"k"}"#
    #expect(try JSONWebSignature(parsing: Secret(token(header: header))).keyID == "k")
  }

  @Test("UTF-16 and UTF-32 are rejected")
  func otherEncodings() {
    let text = #"{"alg":"RS256"}"#
    let wide: [UInt8] = text.utf8.flatMap { [$0, 0] }
    let wider: [UInt8] = text.utf8.flatMap { [$0, 0, 0, 0] }
    for bytes in [wide, [0xFF, 0xFE] + wide, wider, [0xFF, 0xFE, 0, 0] + wider, [0x7B, 0xFF, 0x7D]] {
      #expect(refusal(of: Base64URL.encode(bytes) + ".e30.c2ln") == .malformed)
    }
  }

  static let shapes: [(text: String, code: TokenRefusal.Rule)] = [
    ("", .malformed),
    (".", .malformed),
    ("..", .malformed),
    ("...", .malformed),
    ("e30", .malformed),
    ("e30.e30", .malformed),
    ("eyJhbGciOiJSUzI1NiJ9.e30.c2ln.c2ln", .malformed),
    ("eyJhbGciOiJSU0EtT0FFUCJ9.a.b.c.d", .encrypted),
    ("....", .encrypted),
    (".....", .malformed),
    (String(repeating: ".", count: 200_000), .malformed),
    // Padding, white space, the other alphabet, and an impossible length.
    ("eyJhbGciOiJSUzI1NiJ9.e30=.c2ln", .malformed),
    ("eyJhbGciOiJSUzI1NiJ9.e30.c2ln\n", .malformed),
    (" eyJhbGciOiJSUzI1NiJ9.e30.c2ln", .malformed),
    ("eyJhbGciOiJSUzI1NiJ9.e 30.c2ln", .malformed),
    ("eyJhbGciOiJSUzI1NiJ9.e30.c2+n", .malformed),
    ("eyJhbGciOiJSUzI1NiJ9.e30.c2/n", .malformed),
    ("eyJhbGciOiJSUzI1NiJ9.e30.c2lnA", .malformed),
    ("eyJhbGciOiJSUzI1NiJ9.é30.c2ln", .malformed),
    ("eyJhbGciOiJSUzI1NiJ9.e30.\0", .malformed),
    // Nonzero spare bits are a second spelling of the same bytes.
    ("eyJhbGciOiJSUzI1NiJ9.e31.c2ln", .malformed),
    ("eyJhbGciOiJSUzI1NiJ9.e30.c2l", .malformed),
    ("eyJhbGciOiJSUzI1NiJ9.e30.ABB", .malformed),
  ]

  @Test("a text of another shape is rejected", arguments: shapes)
  func refusedShape(text: String, code: TokenRefusal.Rule) {
    #expect(refusal(of: text) == code)
  }

  @Test("a token over the limit is rejected before parsing")
  func tooLarge() {
    let megabyte = token(header: #"{"alg":"RS256"}"#, payload: String(repeating: "a", count: 1_000_000))
    #expect(refusal(of: megabyte) == .tooLarge)
    #expect(refusal(of: String(repeating: "a", count: JSONWebSignature.maximumSize + 1)) == .tooLarge)
    #expect(refusal(of: String(repeating: "a", count: JSONWebSignature.maximumSize)) == .malformed)
  }

  @Test("no message contains the token")
  func message() {
    for (header, _) in Self.headers {
      let text = token(header: header, signature: "c2VjcmV0LXNpZ25hdHVyZQ")
      let error = #expect(throws: TokenRefusal.self) { try JSONWebSignature(parsing: Secret(text)) }
      #expect(error?.description.contains("c2VjcmV0LXNpZ25hdHVyZQ") == false)
      #expect(error?.message.contains("token") == true)
    }
  }

  @Test("an algorithm's name is escaped")
  func printable() throws {
    let error = #expect(throws: TokenRefusal.self) {
      try JSONWebSignature(parsing: Secret(token(header: #"{"alg":"\u001b[2J\u202ebad"}"#)))
    }
    #expect(error?.message.contains("\"[2Jbad\"") == true)
  }
}
