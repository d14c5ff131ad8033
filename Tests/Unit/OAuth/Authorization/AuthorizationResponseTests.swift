import FoundationEssentials
import MSAuthCore
@testable import MSAuthOAuth
import Testing

@Suite("authorization responses")
struct AuthorizationResponseTests {
  static let expectation = expectation()

  static func expectation(
    _ issuer: IssuerRule = .exact("https://id.example"),
    _ change: (inout AuthorizationResponse.Expectation) -> Void = { _ in }
  ) -> AuthorizationResponse.Expectation {
    var expectation = AuthorizationResponse.Expectation(state: Secret("right"))
    expectation.issuer = issuer
    change(&expectation)
    return expectation
  }

  static func validate(
    _ query: String,
    expecting expectation: AuthorizationResponse.Expectation = expectation
  ) throws -> AuthorizationResponse {
    try AuthorizationResponse.validate(FormEncoding.decode(query), expecting: expectation)
  }

  static func error(_ query: String) throws -> ProviderError? {
    if case .error(let error) = try validate(query) { error } else { nil }
  }

  static func code(_ code: String, cloudHost: String? = nil, issuer: String? = nil) -> AuthorizationResponse {
    .code(AuthorizationCode(code: Secret(code), cloudHost: cloudHost, issuer: issuer))
  }

  @Test("a code with the right state is accepted")
  func code() throws {
    #expect(try Self.validate("code=abc&state=right&client_info=Y2k&session_state=s1&unknown=1") == Self.code("abc"))
  }

  @Test("another cloud is accepted only on request")
  func cloud() throws {
    let query = "code=abc&state=right&cloud_instance_host_name=login.microsoftonline.us"
    #expect(try Self.validate(query) == Self.code("abc"))
    let aware = Self.expectation(Self.template) { $0.isInstanceAware = true }
    let us = "login.microsoftonline.us"
    #expect(try Self.validate(query, expecting: aware) == Self.code("abc", cloudHost: us))
    #expect(try Self.validate("code=abc&state=right", expecting: aware) == Self.code("abc"))
    // The other cloud's issuer is compared with the ID token's; without one it must be the configured issuer.
    #expect(
      try Self.validate(query + "&iss=https://other.example", expecting: aware)
        == Self.code("abc", cloudHost: us, issuer: "https://other.example")
    )
    #expect(
      try Self.validate("code=abc&state=right&iss=https://other.example", expecting: aware)
        == .otherIssuer("https://other.example")
    )
  }

  @Test(
    "other requests are ignored, with a reason that contains no value",
    arguments: [
      ("state is missing", ["", "error=access_denied"]),
      (
        "state doesn't match",
        [
          "code=abc&state=wrong", "code=abc&state=right%20", "code=abc&state=Right", "code=abc&state=righ",
          "error=access_denied&state=wrong", "code=abc&state=wrong&iss=https://evil.example",
        ]
      ),
    ]
  )
  func ignored(_ reason: String, _ queries: [String]) throws {
    for query in queries {
      let rejection = #expect(throws: Rejection.self) { try Self.validate(query) }
      let thrown = try #require(rejection).reason
      #expect(thrown.contains(reason), "\(query)")
      for value in ["abc", "right ", "evil.example", "access_denied"] { #expect(!thrown.contains(value)) }
    }
  }

  @Test(
    "with the right state, what can't be used ends the flow, with a reason that contains no value",
    arguments: [
      (
        "neither code nor error",
        ["", "&code=", "&error=", "&code=&error=", "&response=eyJ.e30.x", "&id_token=eyJ&access_token=x"]
          .map { "state=right" + $0 }
      ),
      ("both code and error", ["code=abc&error=access_denied&state=right"]),
      ("iss occurs twice", ["code=abc&iss=https://id.example&iss=https://id.example&state=right"]),
      ("code occurs twice", ["code=abc&code=abc&state=right"]),
      (
        "code has a character that a code can't have",
        ["a%0Ab", "%C3%A9", "%", "%zz", "%FF", "a%00"].map { "state=right&code=" + $0 }
      ),
    ]
  )
  func unusable(_ reason: String, _ queries: [String]) throws {
    for query in queries { #expect(try Self.validate(query) == .unusable(reason), "\(query)") }
  }

  @Test(
    "unknown parameters are ignored, repeated, many or oddly encoded (RFC 6749 §4.1.2), and so are tokens",
    arguments: [
      "x=1&x=2", (0..<100).map { "p\($0)=1" }.joined(separator: "&"), "x=%FC&y=%&%zz=1", "id_token=eyJ&id_token=eyJ",
      "access_token=eyJ&token_type=bearer", "response=eyJ.e30.x", String(repeating: "%CC%81", count: 31) + "=1",
      "x=" + String(repeating: "a", count: 16 * 1024), "error_description=a&error_description=b", "cod%65x=1",
    ]
  )
  func unknown(_ parameters: String) throws {
    #expect(try Self.validate("state=right&\(parameters)&code=abc") == Self.code("abc"))
    #expect(try Self.error("error=access_denied&\(parameters)&state=right")?.meansDenied == true)
  }

  @Test("a description in Latin-1 is shown with replacements")
  func latin1() throws {
    let response = try Self.validate("error=access_denied&error_description=f%FCr+50%+nicht&state=right")
    #expect(response == .error(ProviderError(error: "access_denied", description: "f\u{FFFD}r 50\u{FFFD} nicht")))
  }

  @Test(
    "with the right state, a wrong issuer ends the flow, and the rest of the response is ignored",
    arguments: ["https://evil.example", "https://id.example/", "HTTPS://ID.EXAMPLE", ""],
    ["code=abc", "error=access_denied", "code=abc&error=access_denied", "id_token=eyJ", ""]
  )
  func otherIssuer(_ issuer: String, _ rest: String) throws {
    #expect(try Self.validate("state=right&iss=\(issuer)&\(rest)") == .otherIssuer(issuer))
  }

  @Test("issuers are compared as bytes")
  func lookalike() {
    let rule = IssuerRule.tenantTemplate("https://login.example/{tenantid}/K")
    let tenant = ProtocolFixtures.tenantID
    #expect(rule.matches("https://login.example/\(tenant)/K"))
    #expect(!rule.matches("https://login.example/\(tenant)/\u{212A}"))
  }

  private static let template = IssuerRule.tenantTemplate("https://login.example/{tenantid}/v2.0")

  @Test(
    "a multitenant issuer matches any tenant, and no other issuer",
    arguments: [
      (true, ["https://login.example/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0"]),
      (
        false,
        [
          "https://login.example/{tenantid}/v2.0", "https://login.example/contoso.com/v2.0",
          "https://login.example//v2.0", "https://login.example/v2.0", "",
          "https://evil.example/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0",
          "https://login.example/9188040d-6c67-4c5b-b112-36a304b66dad/x/v2.0",
          "https://login.example/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0/",
        ]
      ),
    ]
  )
  func templateIssuer(_ matches: Bool, _ issuers: [String]) throws {
    for issuer in issuers {
      let parameters = [(name: "code", value: "abc"), ("state", "right"), ("iss", issuer)]
      let response = try AuthorizationResponse.validate(parameters, expecting: Self.expectation(Self.template))
      #expect(response == (matches ? Self.code("abc", issuer: issuer) : .otherIssuer(issuer)))
    }
  }

  @Test("remove-authorization-response-iss: an advertised issuer is required", arguments: ["code=a", "error=b"])
  func issuerRequired(_ outcome: String) throws {
    let strict = Self.expectation { $0.requiresIss = true }
    #expect(try Self.validate("\(outcome)&state=right", expecting: strict) == .otherIssuer(nil))
    _ = try Self.validate("\(outcome)&state=right&iss=https://id.example", expecting: strict)
  }

  @Test("an error with the right state ends the flow, escaped for a terminal")
  func error() throws {
    let error = try Self.error(
      "error=access_denied&error_description=AADSTS65004%3A+no%1B%5B31m%0D%0ATrace+ID%3A+t-1&error_subcode=cancel"
        + "&error_uri=https%3A%2F%2Fid.example%2Fhelp&state=right"
    )
    let response = try #require(error)
    let texts = [response.error, response.description, response.traceID, response.errorURI?.absoluteString]
    #expect(texts == ["access_denied", "AADSTS65004: no[31m", "t-1", "https://id.example/help"])
    #expect(response.meansDenied)
  }

  @Test("a parameter without a value counts as omitted (RFC 6749 §3.1)")
  func empty() throws {
    #expect(try Self.validate("code=abc&error=&state=right") == Self.code("abc"))
    #expect(try Self.error("code=&error=access_denied&state=right")?.error == "access_denied")
  }
}
