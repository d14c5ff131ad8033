import OAuth
import Testing

@Suite("claims challenges")
struct ClaimsChallengeTests {
  // {"access_token":{"nbf":{"essential":true}}}
  static let encoded = "eyJhY2Nlc3NfdG9rZW4iOnsibmJmIjp7ImVzc2VudGlhbCI6dHJ1ZX19fQ"
  static let claims = #"{"access_token":{"nbf":{"essential":true}}}"#

  @Test(
    "a resource's demand for more claims is decoded",
    arguments: [
      #"Bearer realm="", authorization_uri="https://login.example/a?b=c", error="insufficient_claims", claims="\#(encoded)""#,
      #"Bearer error="insufficient_claims",claims="\#(encoded)==""#,
      #"bearer claims=\#(encoded), Error=insufficient_claims"#,
      #"Basic realm="a \"error=\" b", Bearer error="insufficient_claims", claims="\#(encoded)""#,
    ]
  )
  func decoded(_ field: String) {
    #expect(ClaimsChallenge.claims(inWWWAuthenticate: field) == Self.claims)
  }

  @Test(
    "anything else is no challenge",
    arguments: [
      "", "Bearer", "=", #"Bearer error="invalid_token", claims="\#(encoded)""#, #"Bearer claims="\#(encoded)""#,
      #"Bearer error="insufficient_claims""#, #"Bearer error="insufficient_claims", claims="*""#,
      #"Bearer error="insufficient_claims", claims="W10""#, #"Bearer error="insufficient_claims", claims="unfinished"#,
      #"Bearer error="insufficient_claims", claims=""# + String(repeating: "a", count: 20_000) + #"""#,
    ]
  )
  func none(_ field: String) {
    #expect(ClaimsChallenge.claims(inWWWAuthenticate: field) == nil)
  }
}
