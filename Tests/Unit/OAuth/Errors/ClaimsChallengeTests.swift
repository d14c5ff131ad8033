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
    #expect(ClaimsChallenge(wwwAuthenticate: [field])?.claims == Self.claims)
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
    #expect(ClaimsChallenge(wwwAuthenticate: [field])?.claims == nil)
  }

  @Test(
    "every field is read, and each challenge for itself",
    arguments: [
      [#"Basic realm="a""#, #"Bearer error="insufficient_claims", claims="\#(encoded)""#],
      [#"DPoP error="invalid_token", Bearer error="insufficient_claims", claims="\#(encoded)""#],
      [
        #"Bearer error="insufficient_claims", claims="*""#,
        #"Bearer error="insufficient_claims", claims="\#(encoded)""#,
      ],
      [#"Negotiate a="unfinished"#, #"Bearer claims="\#(encoded)", error="insufficient_claims""#],
    ]
  )
  func several(_ fields: [String]) {
    #expect(ClaimsChallenge(wwwAuthenticate: fields)?.claims == Self.claims)
  }

  @Test("an error of one challenge does not make another's parameters a demand")
  func mixed() {
    let field = #"DPoP error="insufficient_claims", Bearer claims="\#(Self.encoded)""#
    #expect(ClaimsChallenge(wwwAuthenticate: [field]) == nil)
    let scope = #"Bearer error="insufficient_user_authentication", DPoP max_age=5, acr_values="a""#
    #expect(ClaimsChallenge(wwwAuthenticate: [scope]) == nil)
  }

  @Test("a newer or stronger sign-in is demanded (RFC 9470 §3)")
  func stepUp() throws {
    let field = #"Bearer error="insufficient_user_authentication", acr_values="c1 c2", max_age="5""#
    let challenge = try #require(ClaimsChallenge(wwwAuthenticate: [#"Basic realm="x""#, field]))
    #expect(challenge.acrValues == "c1 c2" && challenge.maxAge == 5 && challenge.claims == nil)
  }

  @Test("missing scopes are recognised (RFC 6750 §3.1)")
  func scopes() throws {
    let field = #"Bearer realm="a", error="insufficient_scope", scope="Mail.Read  Mail.Send""#
    #expect(ClaimsChallenge(wwwAuthenticate: [field])?.scopes == ["Mail.Read", "Mail.Send"])
    #expect(ClaimsChallenge(wwwAuthenticate: [#"Bearer error="insufficient_scope""#]) == nil)
    #expect(ClaimsChallenge(wwwAuthenticate: [#"Bearer error="invalid_token", scope="a""#]) == nil)
  }
}
