import MSAuthCore
import MSAuthCrypto
@testable import MSAuthJOSE
import Testing

@testable import MSAuthOAuth

@Suite("proofs of possession (RFC 9449)")
struct DPoPProofTests {
  static let now: UnixTime = 1_562_262_618
  static let random = Array<UInt8>(0..<16)

  /// A parsed proof, with its signature verified by its own key.
  struct Read {
    var header: JSONValue.Object
    var claims: JSONValue.Object

    init(_ proof: String) throws {
      let token = try JSONWebSignature(parsing: Secret(proof))
      let encoded = try #require(proof.split(separator: ".").first)
      let bytes = try #require(Base64URL.decode(encoded))
      header = try #require(try JSONValue(parsing: bytes).object)
      claims = try #require(try JSONValue(parsing: token.payload).object)
      let key = try #require(JSONWebKey(header["jwk"] ?? .null))
      #expect(token.isSigned(by: key.publicKey))
    }
  }

  static func proof(
    _ method: String = "POST",
    _ url: String = "https://server.example.com/token",
    accessToken: Secret? = nil,
    nonce: String? = nil,
    by key: DPoPKey
  ) throws -> Read {
    try Read(key.proof(method, DPoPTarget(url), accessToken: accessToken, nonce: nonce, at: now, random: random))
  }

  @Test("RFC 9449's example is a valid proof")
  func published() throws {
    let read = try Read(
      "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscE"
        + "JoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In"
        + "19.eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2Vu"
        + "IiwiaWF0IjoxNTYyMjYyNjE2fQ.2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xR"
        + "ZT3Lg"
    )
    let ours = try Self.proof(by: DPoPKey())
    #expect(Set(ours.header.keys) == Set(read.header.keys) && Set(ours.claims.keys) == Set(read.claims.keys))
    #expect(ours.header["typ"] == read.header["typ"] && ours.header["alg"] == read.header["alg"])
    #expect(ours.claims["htm"] == read.claims["htm"] && ours.claims["htu"] == read.claims["htu"])
  }

  @Test("the header has only the public key, and without a token and a nonce the claims have neither")
  func bare() throws {
    let key = try DPoPKey()
    let read = try Self.proof(by: key)
    #expect(Set(read.header.keys) == ["typ", "alg", "jwk"])
    #expect(Set(try #require(read.header["jwk"]?.object).keys) == ["kty", "crv", "x", "y"])
    #expect(JSONWebKey(read.header["jwk"] ?? .null)?.publicKey.thumbprint == key.thumbprint)
    #expect(Set(read.claims.keys) == ["jti", "htm", "htu", "iat"])
    #expect(read.claims["iat"]?.integer == Self.now)
    #expect(read.claims["jti"]?.string == Base64URL.encode(Self.random))
  }

  @Test("the token's hash is RFC 9449's of section 7.1")
  func accessToken() throws {
    let token = Secret("Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU")
    let read = try Self.proof("GET", accessToken: token, nonce: "eyJ7S_zG.eyJH0-Z.HX4w-7v", by: DPoPKey())
    #expect(read.claims["ath"] == "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo")
    #expect(read.claims["nonce"] == "eyJ7S_zG.eyJH0-Z.HX4w-7v")
  }

  @Test(
    "the URL is included as sent, without query and fragment",
    arguments: [
      ("https://api.example/x?a=1", "https://api.example/x", "https://api.example"),
      ("https://api.example/x#part", "https://api.example/x", "https://api.example"),
      ("https://api.example/x?u=https://other.example/y", "https://api.example/x", "https://api.example"),
      ("HTTPS://API.Example:443/X/", "https://api.example/X/", "https://api.example"),
      ("http://127.0.0.1:80", "http://127.0.0.1/", "http://127.0.0.1"),
      ("https://api.example:8443?q", "https://api.example:8443/", "https://api.example:8443"),
      ("http://[::1]:8080/a%2Fb//c", "http://[::1]:8080/a%2Fb//c", "http://[::1]:8080"),
      ("https://api.example:4430/x", "https://api.example:4430/x", "https://api.example:4430"),
    ]
  )
  func target(_ url: String, _ uri: String, _ origin: String) throws {
    let target = try DPoPTarget(url)
    #expect(target.uri == uri && target.origin == origin)
    #expect(try Self.proof("GET", url, by: DPoPKey()).claims["htu"] == .string(uri))
  }

  @Test(
    "a URL with dot segments, or that isn't one, is rejected",
    arguments: ["https://api.example/a/../b", "https://api.example/./b", "https://u:p@api.example/", "api.example/x"]
  )
  func noTarget(_ url: String) throws {
    let error = #expect(throws: AuthenticationError.self) { try DPoPTarget(url) }
    #expect(error?.reason == "invalid_parameter")
  }

  @Test("an invalid method is rejected")
  func noMethod() {
    for method in ["", "get", "GET ", "GET\n", "G\"T", String(repeating: "X", count: 33)] {
      let error = #expect(throws: AuthenticationError.self) { try Self.proof(method, by: DPoPKey()) }
      #expect(error?.message == "the method isn't an HTTP method such as GET or POST")
    }
  }
}

@Suite("nonces for proofs (RFC 9449 §8, §9)")
struct DPoPNonceTests {
  static let oauthError = #"{"error":"use_dpop_nonce","error_description":"nonce needed"}"#

  @Test(
    "a valid nonce is returned unchanged, another is ignored",
    arguments: [
      (["eyJ7S_zG.eyJH0-Z.HX4w-7v", "!", "a#b[c]d~", String(repeating: "n", count: 2048)], true),
      ([nil, "", "a b", "a\"b", "a\\b", "é", String(repeating: "n", count: 2049)], false),
    ] as [([String?], Bool)]
  )
  func nonce(_ texts: [String?], isValid: Bool) {
    for text in texts { #expect(DPoPNonce.read(text) == (isValid ? text : nil)) }
  }

  @Test(
    "only an OAuth error or a DPoP challenge, in any case, requires a nonce",
    arguments: [
      (400, oauthError, [], true), (401, oauthError, [], true), (200, oauthError, [], false),
      (403, oauthError, [], false), (503, oauthError, [], false), (400, #"{"error":"invalid_dpop_proof"}"#, [], false),
      (400, #"["use_dpop_nonce"]"#, [], false), (400, "use_dpop_nonce", [], false), (401, "", [], false),
      (401, "", [#"DPoP error="use_dpop_nonce", error_description="nonce needed""#], true),
      (401, "", [#"dpop error="use_dpop_nonce""#], true),
      (401, "", [#"dPoP algs="ES256 PS256",error=use_dpop_nonce"#], true),
      (401, "", [#"Bearer realm="a, DPoP b", DPOP algs="ES256", error="use_dpop_nonce""#], true),
      (401, "", ["Bearer", #"DPoP error="use_dpop_nonce""#], true),
      (401, "", [#"Bearer error="use_dpop_nonce""#], false),
      (401, "", [#"DPoP algs="ES256", Bearer error="use_dpop_nonce""#], false),
      (401, "", [#"DPoP error="invalid_token", error_description="not error=use_dpop_nonce""#], false),
      (200, "", [#"DPoP error="use_dpop_nonce""#], false),
    ] as [(Int, String, [String], Bool)]
  )
  func isRequired(_ status: Int, _ body: String, _ challenges: [String], _ expected: Bool) {
    #expect(DPoPNonce.isRequired(status: status, body: Array(body.utf8), challenges: challenges) == expected)
  }

  @Test(
    "each challenge of a header is parsed separately",
    arguments: [
      ("", []),
      ("Negotiate", [AuthenticationChallenge(scheme: "negotiate")]),
      (
        #"Basic YWJj==, DPoP  algs = "ES256" , error=x"#,
        [
          // A `token68` isn't parsed.
          .init(scheme: "basic", parameters: ["ywjj": ""]),
          .init(scheme: "dpop", parameters: ["algs": "ES256", "error": "x"]),
        ]
      ),
      (#"DPoP a="1\"2", A="3""#, [.init(scheme: "dpop", parameters: ["a": #"1"2"#])]),
      (#"a="1", Bearer"#, [.init(scheme: "bearer")]),
      (#"Bearer a="open"#, [.init(scheme: "bearer", parameters: ["a": "open"])]),
      ("=,;\u{7F},= Bearer", [.init(scheme: "bearer")]),
    ] as [(String, [AuthenticationChallenge])]
  )
  func challenges(_ field: String, _ challenges: [AuthenticationChallenge]) {
    #expect(AuthenticationChallenge.all(in: field) == challenges)
  }
}
