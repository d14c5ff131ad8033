import MSAuthCore
@testable import MSAuthOAuth
import Testing

@Suite("token responses")
struct TokenResponseTests {
  static let now: UnixTime = 1_800_000_000

  static func parse(
    _ json: String,
    status: Int = 200,
    retryAfter: Int64? = nil,
    type: TokenType = .bearer
  ) throws -> TokenResponse {
    try TokenResponse(
      EndpointResponse(status: status, retryAfter: retryAfter, body: Array(json.utf8)),
      type: type,
      requestedScopes: Scopes(["User.Read", "openid"]),
      now: now
    )
  }

  /// A valid response with one more member.
  static func success(_ member: String) -> String {
    #"{"access_token":"at","token_type":"Bearer""# + (member.isEmpty ? "" : "," + member) + "}"
  }

  @Test("Entra's response is parsed completely")
  func complete() throws {
    let response = try Self.parse(
      """
      {"token_type":"Bearer","scope":"User.Read profile openid","expires_in":3599,"ext_expires_in":7200,
       "refresh_in":1800,"access_token":"at.1","refresh_token":"rt.1","id_token":"it.1","client_info":"ci","foci":"1"}
      """
    )
    let tokens = [response.accessToken, response.refreshToken, response.idToken, response.clientInfo]
    #expect(tokens.map { $0?.revealed } == ["at.1", "rt.1", "it.1", "ci"] && response.familyID == "1")
    #expect(response.scopes.names == ["User.Read", "profile", "openid"])
    let times = [response.expiresOn, response.extendedExpiresOn, response.refreshOn]
    #expect(times == [3599, 7200, 1800].map { Self.now + $0 })
  }

  @Test(
    "token-type-case-insensitivity",
    arguments: [(.bearer, ["Bearer", "bearer", "BEARER"]), (.dpop, ["DPoP", "dpop", "DPOP"])] as [(TokenType, [String])]
  )
  func tokenType(_ type: TokenType, _ spellings: [String]) throws {
    for spelling in spellings {
      #expect(try Self.parse(#"{"access_token":"at","token_type":"\#(spelling)"}"#, type: type).type == type)
    }
  }

  @Test(
    "another token type is rejected, and a bearer token instead of a bound one is a downgrade",
    arguments: [
      (.bearer, "invalid_response", [#""mac""#, #""DPoP""#, #""Bearer ""#]),
      (.dpop, "invalid_response", [#""mac""#, #""PoP""#, #""DPoP ""#]),
      (.dpop, "dpop_downgrade", [#""Bearer""#, #""bearer""#, #""""#, "null"]),
    ] as [(TokenType, AuthenticationError.Reason, [String])]
  )
  func otherTokenType(_ type: TokenType, _ reason: AuthenticationError.Reason, _ values: [String]) {
    for value in values {
      let error = #expect(throws: AuthenticationError.self) {
        try Self.parse(#"{"access_token":"at","token_type":\#(value)}"#, type: type)
      }
      #expect(error?.reason == reason)
    }
  }

  @Test(
    "token-endpoint-response-without-expires_in and other lifetimes",
    arguments: [
      ("", Lifetime.limit), (#""expires_in":null"#, Lifetime.limit),
      (#""refresh_token":"r""#, TokenResponse.defaultLifetime), (#""id_token":"i""#, TokenResponse.defaultLifetime),
      (#""expires_in":3599"#, 3599), (#""expires_in":3599.9"#, 3599), (#""expires_in":3.6e3"#, 3600),
      (#""expires_in":"3599""#, 3599), (#""expires_in":1e30"#, Lifetime.limit),
      (#""expires_in":99999999999999999999"#, Lifetime.limit),
      (#""expires_in":"99999999999999999999""#, Lifetime.limit),
    ]
  )
  func lifetime(_ member: String, _ seconds: Int64) throws {
    #expect(try Self.parse(Self.success(member)).expiresOn == Self.now + seconds)
  }

  @Test(
    "an invalid lifetime counts as absent: the tokens may be the only ones",
    arguments: [
      #""expires_in":0"#, #""expires_in":"0""#, #""expires_in":-1"#, #""expires_in":"-1""#,
      #""expires_in":"3599 ""#, #""expires_in":"0x10""#, #""expires_in":1e400"#, #""ext_expires_in":-1"#,
    ]
  )
  func badLifetime(_ member: String) throws {
    let response = try Self.parse(Self.success(member))
    #expect(response.expiresOn == Self.now + Lifetime.limit && response.ignoredMembers.count == 1)
    #expect(response.refreshOn == nil && response.extendedExpiresOn == nil)
  }

  @Test(
    "a response without a usable token, or with a repeated member, is rejected",
    arguments: [
      "{}", "[]", "null", "", "{",
      #"{"access_token":"a b","token_type":"Bearer"}"#, #"{"access_token":"a\nb","token_type":"Bearer"}"#,
      #"{"access_token":"é","token_type":"Bearer"}"#, #"{"access_token":"a\u0000","token_type":"Bearer"}"#,
      success(#""acc\u0065ss_token":"other""#), success(#""x":1,"x":1"#),
    ]
  )
  func unusable(_ json: String) throws {
    let error = try #require(throws: AuthenticationError.self) { try Self.parse(json) }
    #expect(error.reason == "invalid_response")
  }

  @Test(
    "a response is used without an invalid optional member, since the code or the refresh token is used up",
    arguments: [
      ("scope", #""a\nb""#), ("scope", #"["a b"]"#), ("client_info", #""a b""#), ("id_token", #""a\nb""#),
      ("refresh_token", #""a\r\nb""#),
    ]
  )
  func odd(name: String, value: String) throws {
    let rest = name == "refresh_token" ? "" : #","refresh_token":"rt""#
    let response = try Self.parse(Self.success(#""\#(name)":\#(value)"# + rest))
    #expect(response.ignoredMembers == [name] && response.accessToken == Secret("at"))
    #expect(response.refreshToken == (rest.isEmpty ? nil : Secret("rt")) && response.idToken == nil)
    #expect(response.scopes.names == ["User.Read", "openid"] && response.expiresOn == Self.now + 3600)
  }

  @Test("invalid UTF-8 in one member makes nothing else unusable, in a response and in an error")
  func latin1() throws {
    func response(_ status: Int, _ json: String) -> EndpointResponse {
      // Latin-1.
      EndpointResponse(status: status, body: json.unicodeScalars.map { UInt8($0.value) })
    }
    func read(_ response: EndpointResponse) throws -> TokenResponse {
      try TokenResponse(response, type: .bearer, requestedScopes: Scopes(["User.Read"]), now: Self.now)
    }
    let tokens = try read(response(200, Self.success(#""refresh_token":"rt","name":"Jürgen","id_token":"é""#)))
    #expect(tokens.accessToken == Secret("at") && tokens.refreshToken == Secret("rt") && tokens.flaw == nil)
    #expect(tokens.ignoredMembers == ["id_token"])
    let rejected = response(400, #"{"error":"invalid_client","error_description":"für niemand"}"#)
    let error = try #require(throws: AuthenticationError.self) { try read(rejected) }
    #expect(error.provider?.error == "invalid_client")
    #expect(throws: Never.self) { try rejected.checkRefresh() }
  }

  @Test("Twitch sends scopes as an array")
  func scopeArray() throws {
    #expect(try Self.parse(Self.success(#""scope":["chat:read","openid"]"#)).scopes.names == ["chat:read", "openid"])
  }

  @Test(
    "an OAuth error is recognized with any client error status, and with success",
    arguments: [400, 401, 403, 404, 200, 201]
  )
  func serverError(_ status: Int) throws {
    let body = #"{"error":"invalid_grant","error_description":"AADSTS700082: expired","access_token":"at"}"#
    let error = try #require(throws: AuthenticationError.self) { try Self.parse(body, status: status) }.provider
    #expect(error?.meansInteractionRequired == true && error?.error == "invalid_grant")
  }

  @Test(
    "an unavailable provider is reported, with its Retry-After",
    arguments: [(500, nil), (503, 120), (429, 7), (504, nil), (408, nil), (425, nil)] as [(Int, Int64?)]
  )
  func unavailable(_ status: Int, _ seconds: Int64?) {
    #expect(throws: AuthenticationError.serverUnavailable(status: status, retryAfter: seconds)) {
      try Self.parse(#"{"error":"server_error"}"#, status: status, retryAfter: seconds)
    }
  }

  @Test(
    "an invalid response is rejected",
    arguments: [
      (200, "<html>"), (302, ""), (307, success("")), (204, ""), (400, "<html>"), (404, ""), (100, success("")),
    ]
  )
  func invalid(_ status: Int, _ body: String) throws {
    let error = try #require(throws: AuthenticationError.self) { try Self.parse(body, status: status) }
    // A captive portal has its own reason.
    let isPage = body == "<html>" && status == 200 || (300..<400).contains(status)
    #expect(error.reason == (isPage ? "unexpected_page" : "invalid_response"))
  }

  @Test("a response over the limit is rejected")
  func tooLarge() {
    let padding = String(repeating: "x", count: TokenResponse.bodyLimit)
    #expect(throws: AuthenticationError.invalidResponse("it isn't a JSON object with unique members")) {
      try Self.parse(Self.success(#""x":"\#(padding)""#))
    }
  }
}
