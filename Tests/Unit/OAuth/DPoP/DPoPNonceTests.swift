import Testing

@testable import MSAuthOAuth

@Suite("nonces for proofs (RFC 9449 §8, §9)")
struct DPoPNonceTests {
  static let oauthError = Array(#"{"error":"use_dpop_nonce","error_description":"nonce needed"}"#.utf8)

  @Test(
    "a nonce is read as it stands",
    arguments: ["eyJ7S_zG.eyJH0-Z.HX4w-7v", "!", "a#b[c]d~", String(repeating: "n", count: 2048)]
  )
  func nonce(_ text: String) { #expect(DPoPNonce.read(text) == text) }

  @Test(
    "what cannot be one is none",
    arguments: [nil, "", "a b", "a\"b", "a\\b", "é", String(repeating: "n", count: 2049)]
  )
  func noNonce(_ text: String?) { #expect(DPoPNonce.read(text) == nil) }

  @Test(
    "a demand is one in an OAuth error or in a challenge of the scheme DPoP, in any case of letters",
    arguments: [
      (400, oauthError, []),
      (401, oauthError, []),
      (401, [], [#"DPoP error="use_dpop_nonce", error_description="nonce needed""#]),
      (401, [], [#"dpop error="use_dpop_nonce""#]),
      (401, [], [#"dPoP algs="ES256 PS256",error=use_dpop_nonce"#]),
      (401, [], [#"Bearer realm="a, DPoP b", DPOP algs="ES256", error="use_dpop_nonce""#]),
      (401, [], ["Bearer", #"DPoP error="use_dpop_nonce""#]),
    ] as [(Int, [UInt8], [String])]
  )
  func demanded(_ status: Int, _ body: [UInt8], _ challenges: [String]) {
    #expect(DPoPNonce.isDemanded(status: status, body: body, challenges: challenges))
  }

  @Test(
    "everything else is none",
    arguments: [
      (200, oauthError, []),
      (403, oauthError, []),
      (503, oauthError, []),
      (400, Array(#"{"error":"invalid_dpop_proof"}"#.utf8), []),
      (400, Array(#"["use_dpop_nonce"]"#.utf8), []),
      (400, Array("use_dpop_nonce".utf8), []),
      (401, [], []),
      (401, [], [#"Bearer error="use_dpop_nonce""#]),
      (401, [], [#"DPoP algs="ES256", Bearer error="use_dpop_nonce""#]),
      (401, [], [#"DPoP error="invalid_token", error_description="not error=use_dpop_nonce""#]),
      (200, [], [#"DPoP error="use_dpop_nonce""#]),
    ] as [(Int, [UInt8], [String])]
  )
  func notDemanded(_ status: Int, _ body: [UInt8], _ challenges: [String]) {
    #expect(!DPoPNonce.isDemanded(status: status, body: body, challenges: challenges))
  }

  @Test(
    "each challenge of a field is read for itself",
    arguments: [
      ("", []),
      ("Negotiate", [AuthenticationChallenge(scheme: "negotiate")]),
      (
        #"Basic YWJj==, DPoP  algs = "ES256" , error=x"#,
        [
          // A `token68` is none of ours to read.
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
