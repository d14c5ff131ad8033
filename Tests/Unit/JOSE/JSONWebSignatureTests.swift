import MSAuthCore
import MSAuthCrypto
@testable import MSAuthJOSE
import Testing

@Suite("parsing signed tokens")
struct JSONWebSignatureTests {
  private func rejection(of token: String) -> TokenRejection.Rule? {
    #expect(throws: TokenRejection.self) { try JSONWebSignature(parsing: Secret(token)) }?.rule
  }

  private func token(header: String, payload: String = "{}", signature: String = "c2ln") -> String {
    "\(Base64URL.encode(header.utf8)).\(Base64URL.encode(payload.utf8)).\(signature)"
  }

  @Test("a supported header is accepted")
  func accepted() throws {
    let token = try JSONWebSignature(
      parsing: Secret(token(header: #" {"typ":"JWT", "alg":"RS256","kid":"k","x5t":"t","jwk":{"kty":"oct"}} "#))
    )
    #expect(token.algorithm == .rs256 && token.keyID == "k" && token.type == "JWT")
    #expect(token.payload == Array("{}".utf8))
  }

  static let headers: [(rule: TokenRejection.Rule, headers: [String])] = [
    (.unsigned, ["none", "None", "NONE", "nOnE"].map { #"{"alg":"\#($0)"}"# }),
    (.symmetricAlgorithm, ["HS256", "HS384", "HS512", "hs256"].map { #"{"alg":"\#($0)"}"# }),
    (.algorithmUnsupported, ["ES256K", "Ed448", "ed25519", "RS1", "rs256", "RSA-OAEP"].map { #"{"alg":"\#($0)"}"# }),
    (.criticalHeader, [#"["exp"]"#, "[]", "null", #"["b64"],"b64":false"#].map { #"{"alg":"RS256","crit":\#($0)}"# }),
    (
      .duplicateMember,
      [
        #""alg":"none""#, #""alg":"RS256""#, #""\u0061lg":"none""#, #""kid":"a","kid":"b""#,
        #""typ":"JWT","typ":"JWT""#,
        #""crit":[],"crit":[]"#, #""x":{"a":[{}]},"x":1"#,
      ].map { #"{"alg":"RS256",\#($0)}"# }
    ),
    (
      .malformed,
      [
        #"["RS256"]"#, #""RS256""#, "null", "",
        #"{"alg":"RS256""#, #"{"alg":"RS256"}}"#, #"{"alg":"RS256"} {}"#, #"{'alg':'RS256'}"#,
        "{\"alg\":\"RS256\",\"x\":\(String(repeating: "[", count: 100_000))",
        "{\"alg\":\"RS256\",\"x\":\(String(repeating: "{\"x\":", count: 30_000))",
      ]
    ),
  ]

  @Test("an unsupported header is rejected", arguments: headers)
  func rejectedHeader(rule: TokenRejection.Rule, headers: [String]) {
    for header in headers {
      #expect(rejection(of: token(header: header)) == rule, "\(header.prefix(80))")
      #expect(rejection(of: token(header: header, signature: "")) == rule, "\(header.prefix(80)), without a signature")
    }
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
      #expect(rejection(of: Base64URL.encode(bytes) + ".e30.c2ln") == .malformed)
    }
  }

  static let shapes: [(rule: TokenRejection.Rule, texts: [String])] = [
    (.encrypted, ["eyJhbGciOiJSU0EtT0FFUCJ9.a.b.c.d", "...."]),
    (.malformed, ["", ".", "..", "...", "e30", "e30.e30", ".....", String(repeating: ".", count: 200_000)]),
    (
      .malformed,
      [
        // Four parts, padding, white space, the other alphabet, and an impossible length.
        "e30.c2ln.c2ln", "e30=.c2ln", "e30.c2ln\n", "e 30.c2ln", "e30.c2+n", "e30.c2/n", "e30.c2lnA", "é30.c2ln",
        "e30.\0",
        // Nonzero spare bits are a second spelling of the same bytes.
        "e31.c2ln", "e30.c2l", "e30.ABB",
      ].map { "eyJhbGciOiJSUzI1NiJ9." + $0 } + [" eyJhbGciOiJSUzI1NiJ9.e30.c2ln"]
    ),
  ]

  @Test("a text of another shape is rejected", arguments: shapes)
  func rejectedShape(rule: TokenRejection.Rule, texts: [String]) {
    for text in texts { #expect(rejection(of: text) == rule, "\(text.prefix(80))") }
  }

  @Test("a token over the limit is rejected before parsing")
  func tooLarge() {
    let megabyte = token(header: #"{"alg":"RS256"}"#, payload: String(repeating: "a", count: 1_000_000))
    #expect(rejection(of: megabyte) == .tooLarge)
    #expect(rejection(of: String(repeating: "a", count: JSONWebSignature.maximumSize + 1)) == .tooLarge)
    #expect(rejection(of: String(repeating: "a", count: JSONWebSignature.maximumSize)) == .malformed)
  }

  @Test("no message contains the token")
  func message() {
    for header in Self.headers.flatMap(\.headers) {
      let text = token(header: header, signature: "c2VjcmV0LXNpZ25hdHVyZQ")
      let error = #expect(throws: TokenRejection.self) { try JSONWebSignature(parsing: Secret(text)) }
      #expect(error?.description.contains("c2VjcmV0LXNpZ25hdHVyZQ") == false)
      #expect(error?.message.contains("token") == true)
    }
  }

  @Test("an algorithm's name is escaped")
  func printable() throws {
    let error = #expect(throws: TokenRejection.self) {
      try JSONWebSignature(parsing: Secret(token(header: #"{"alg":"\u001b[2J\u202ebad"}"#)))
    }
    #expect(error?.message.contains("\"[2Jbad\"") == true)
  }
}
