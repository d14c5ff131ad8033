import MSAuthOAuth
import Testing

@Suite("claims challenges")
struct ResourceRequirementsTests {
  // {"access_token":{"nbf":{"essential":true}}}
  static let encoded = "eyJhY2Nlc3NfdG9rZW4iOnsibmJmIjp7ImVzc2VudGlhbCI6dHJ1ZX19fQ"
  static let claims = #"{"access_token":{"nbf":{"essential":true}}}"#

  @Test(
    "other challenges require no claims",
    arguments: [
      "", "Bearer", "=", #"Bearer error="invalid_request", claims="\#(encoded)""#, #"Bearer claims="\#(encoded)""#,
      #"Bearer error="insufficient_claims""#, #"Bearer error="insufficient_claims", claims="*""#,
      #"Bearer error="insufficient_claims", claims="W10""#, #"Bearer error="insufficient_claims", claims="unfinished"#,
      #"Bearer error="insufficient_claims", claims=""# + String(repeating: "a", count: 20_000) + #"""#,
    ]
  )
  func none(_ field: String) {
    #expect(ResourceRequirements(wwwAuthenticate: [field])?.claims == nil)
  }

  @Test(
    "claims are decoded, and every header and each of its challenges is parsed separately",
    arguments: [
      [
        #"Bearer realm="", authorization_uri="https://login.example/a?b=c", error="insufficient_claims", claims="\#(encoded)""#
      ], [#"Bearer error="insufficient_claims",claims="\#(encoded)==""#],
      [#"bearer claims=\#(encoded), Error=insufficient_claims"#],
      [#"Basic realm="a \"error=\" b", Bearer error="insufficient_claims", claims="\#(encoded)""#],
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
    #expect(ResourceRequirements(wwwAuthenticate: fields)?.claims == Self.claims)
  }

  @Test("a newer or stronger sign-in is required (RFC 9470 §3)")
  func stepUp() throws {
    let field = #"Bearer error="insufficient_user_authentication", acr_values="c1 c2", max_age="5""#
    let challenge = try #require(ResourceRequirements(wwwAuthenticate: [#"Basic realm="x""#, field]))
    #expect(challenge.acrValues == "c1 c2" && challenge.maxAge == .seconds(5) && challenge.claims == nil)
  }

  @Test("missing scopes are recognized (RFC 6750 §3.1)")
  func scopes() throws {
    let field = #"Bearer realm="a", error="insufficient_scope", scope="Mail.Read  Mail.Send""#
    #expect(ResourceRequirements(wwwAuthenticate: [field])?.scopes == ["Mail.Read", "Mail.Send"])
  }

  @Test(
    "a rejected token requires a new one, with the resource's parameters (RFC 6750 §3.1)",
    arguments: [
      ([#"Bearer error="invalid_token""#], nil, nil, nil, []),
      ([#"Bearer realm="r", error="invalid_token", error_description="expired, or revoked""#], nil, nil, nil, []),
      ([#"DPoP algs="ES256", error=invalid_token"#], nil, nil, nil, []),
      ([#"Bearer error="invalid_token", DPoP algs="ES256""#], nil, nil, nil, []),
      ([#"Bearer error="invalid_token", scope="a b""#, #"Basic realm="x", scope="c""#], nil, nil, nil, ["a", "b"]),
      ([#"Bearer error="invalid_token", claims="\#(encoded)""#], claims, nil, nil, []),
      ([#"Bearer error="invalid_token", claims="*", acr_values="c1", max_age=60"#], nil, "c1", 60, []),
      (
        [#"DPoP error="invalid_token""#, #"Bearer error="insufficient_user_authentication", max_age="5""#], nil, nil, 5,
        []
      ),
    ] as [([String], String?, String?, Int64?, [String])]
  )
  func rejected(fields: [String], claims: String?, acrValues: String?, maxAge: Int64?, scopes: [String]) throws {
    let challenge = try #require(ResourceRequirements(wwwAuthenticate: fields))
    #expect(challenge.needsNewToken && challenge.claims == claims && challenge.acrValues == acrValues)
    #expect(challenge.maxAge == maxAge.map { .seconds($0) } && challenge.scopes == scopes)
  }

  @Test(
    "without a sent token, any token with the scopes is sufficient (RFC 6750 §3.1)",
    arguments: [
      (["Bearer"], []), ([#"bearer realm="r", claims="\#(encoded)", acr_values="c1", max_age="5""#], []),
      ([#"Basic realm="r""#, #"DPoP algs="ES256""#], []), ([#"Basic error="x", Bearer"#], []),
      ([#"Bearer realm="r", scope="Mail.Read Mail.Send""#], ["Mail.Read", "Mail.Send"]),
      // Apache's mod_auth_openidc.
      ([#"Bearer error="invalid_request", error_description="No bearer token found in the request""#], []),
    ] as [([String], [String])]
  )
  func noToken(fields: [String], scopes: [String]) throws {
    let challenge = try #require(ResourceRequirements(wwwAuthenticate: fields))
    #expect(!challenge.needsNewToken && challenge.scopes == scopes)
    #expect(ResourceRequirements(wwwAuthenticate: fields, sentToken: true)?.needsNewToken == true)
    #expect(challenge.claims == nil && challenge.acrValues == nil && challenge.maxAge == nil)
  }

  @Test(
    "a response that no token can satisfy isn't a challenge",
    arguments: [
      [], [""], [#"Basic realm="r""#, "Negotiate"], [#"Bearer error="insufficient_scope""#],
      [#"Bearer error="invalid_client", scope="a""#], [#"Bearer error="Invalid_Token""#],
      [#"Bearer error="insufficient_scope", DPoP algs="ES256""#], [#"DPoP error="use_dpop_nonce", Bearer"#],
      [#"Basic realm="error=invalid_token""#], [#"Basic realm="r", scope="a""#],
      // One challenge's error doesn't apply to another one's parameters.
      [#"DPoP error="insufficient_claims", Bearer claims="\#(encoded)""#],
      [#"Bearer error="insufficient_user_authentication", DPoP max_age=5, acr_values="a""#],
    ]
  )
  func unmet(_ fields: [String]) {
    #expect(ResourceRequirements(wwwAuthenticate: fields) == nil)
  }
}
