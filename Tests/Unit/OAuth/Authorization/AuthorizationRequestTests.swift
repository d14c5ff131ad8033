import MSAuthCore
@testable import MSAuthOAuth
import Testing

@Suite("authorization requests")
struct AuthorizationRequestTests {
  static func dictionary(_ request: AuthorizationRequest) throws -> [String: String] {
    let parameters = try request.parameters()
    #expect(Set(parameters.map(\.name)).count == parameters.count)
    return Dictionary(parameters.map { ($0.name, $0.value) }) { first, _ in first }
  }

  @Test(
    "consent is added to another prompt, once",
    arguments: [(nil, "consent"), (.login, "login consent"), (.consent, "consent")] as [(Prompt?, String)]
  )
  func consent(_ prompt: Prompt?, _ expected: String) throws {
    let request = try ProtocolFixtures.request { ($0.prompt, $0.requestsConsent) = (prompt, true) }
    #expect(try request.parameters().first { $0.name == "prompt" }?.value == expected)
  }

  @Test("the default request has only what OpenID Connect and PKCE require")
  func plain() throws {
    let parameters = try ProtocolFixtures.request().parameters()
    #expect(
      parameters.map { "\($0.name)=\($0.value)" } == [
        "client_id=\(ProtocolFixtures.clientID)", "response_type=code", "redirect_uri=http://localhost:4711",
        "scope=User.Read openid profile", "state=state-value", "nonce=nonce-value",
        "code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method=S256",
        "response_mode=query",
      ]
    )
  }

  @Test("every parameter is sent under its name")
  func complete() throws {
    let extra = try Scopes(["Mail.Read", "openid"])
    let request = try ProtocolFixtures.request {
      $0.responseMode = .formPost
      $0.prompt = .selectAccount
      $0.loginHint = "anna@contoso.com"
      $0.domainHint = "contoso.com"
      $0.maxAge = 0
      $0.claims = #"{"id_token":{"auth_time":null}}"#
      $0.scopes = $0.scopes.union(extra)
      $0.extraQuery = ["dc": "EU", "slice": "test slice", "ui_locales": "de", "p": "b2c_1_x", "display": "page"]
      $0.resource = "https://api.example"
      $0.acrValues = "c1"
      $0.requestsClientInfo = true
      $0.correlationID = "6b7b7a44"
      $0.isInstanceAware = true
      $0.keyThumbprint = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"
    }
    let sent = try Self.dictionary(request)
    let expected = [
      "response_mode": "form_post", "prompt": "select_account", "login_hint": "anna@contoso.com",
      "domain_hint": "contoso.com", "max_age": "0", "scope": "User.Read openid profile Mail.Read", "dc": "EU",
      "slice": "test slice", "ui_locales": "de", "p": "b2c_1_x", "display": "page",
      "resource": "https://api.example", "acr_values": "c1", "client_info": "1", "client-request-id": "6b7b7a44",
      "instance_aware": "true", "dpop_jkt": "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I",
      "claims": #"{"id_token":{"auth_time":null}}"#,
    ]
    for (name, value) in expected { #expect(sent[name] == value, "\(name)") }
  }

  @Test(
    "a reserved parameter is rejected as an extra one in any case, and the error names its option",
    arguments: [
      ("max_age", "challenge"), ("claims", "claims"), ("resource", "scope"), ("prompt", "prompt"),
      ("acr_values", "challenge"), ("Login_Hint", "login_hint"), ("scope", "scope"),
      ("redirect_uri", "redirect_uri"), ("response_mode", "response_mode"), ("client_id", "client_id"),
      ("instance_aware", "multiple_clouds_supported"), ("dpop_jkt", "dpop"), ("nonce", nil), ("state", nil),
      ("STATE", nil), ("request_uri", nil),
      ("code_challenge", nil), ("code_challenge_method", nil), ("response_type", nil), ("client_info", nil),
      ("id_token_hint", nil), ("request", nil), ("registration", nil),
    ] as [(String, String?)]
  )
  func reserved(_ name: String, _ setting: String?) throws {
    let request = try ProtocolFixtures.request { $0.extraQuery = [name: "1"] }
    let error = #expect(throws: AuthenticationError.self) { try request.parameters() }
    #expect(error?.message.hasPrefix("extra parameter \"\(name)\" is rejected: ") == true, "\(error as Any)")
    let named: Hint? =
      setting == "challenge"
      ? "use \(action: .answerChallenge, or: "that setting")" : setting.map { "use \(setting: $0, or: "that setting")" }
    #expect(error?.specificHint == named, "\(error as Any)")
  }

  @Test("an invalid request is rejected before the browser opens")
  func rejected() throws {
    let noOpenID = try Scopes(["User.Read"])
    let changes: [(reason: String, change: (inout AuthorizationRequest) -> Void)] = [
      ("redirect_uri is empty", { $0.redirectURI = "" }),
      ("redirect_uri is empty or has a fragment", { $0.redirectURI = "http://localhost/#x" }),
      ("max_age is negative", { $0.maxAge = -1 }), ("login_hint has a control character", { $0.loginHint = "a\nb" }),
      ("login_hint is longer", { $0.loginHint = String(repeating: "a", count: 20_000) }),
      ("scope lacks openid", { $0.scopes = noOpenID }),
      ("extra parameter \"\" doesn't have a valid name", { $0.extraQuery = ["": "x"] }),
      ("extra parameter \"a b\" doesn't have a valid name", { $0.extraQuery = ["a b": "x"] }),
      ("extra parameter \"é\" doesn't have a valid name", { $0.extraQuery = ["é": "x"] }),
      ("extra parameter \"a \" doesn't have a valid name", { $0.extraQuery = ["a\n": "x"] }),
      ("extra parameter \"dc\" is rejected: it is sent already", { $0.extraQuery = ["dc": "1", "DC": "2"] }),
      // Not together with its option.
      (
        "extra parameter \"domain_hint\" is rejected: it is sent already",
        { ($0.domainHint, $0.extraQuery) = ("a", ["domain_hint": "b"]) }
      ),
    ]
    for (reason, change) in changes {
      let request = try ProtocolFixtures.request(change)
      let error = #expect(throws: AuthenticationError.self, "\(reason)") { try request.parameters() }
      #expect(error?.message.hasPrefix(reason) == true, "\(reason): \(error?.message ?? "")")
    }
  }

  @Test(
    "capabilities are merged into the claims",
    arguments: [
      (nil, [], nil), ("", [], nil), (#"{ "a":1 }"#, [], #"{ "a":1 }"#),
      (nil, ["CP1"], #"{"access_token":{"xms_cc":{"values":["CP1"]}}}"#),
      (
        #"{"access_token":{"nbf":{"essential":true},"xms_cc":{"values":["old"]}}}"#, ["CP1", "CP2"],
        #"{"access_token":{"nbf":{"essential":true},"xms_cc":{"values":["CP1","CP2"]}}}"#
      ),
      (
        #"{"id_token":{"auth_time":null}}"#, ["CP1"],
        #"{"access_token":{"xms_cc":{"values":["CP1"]}},"id_token":{"auth_time":null}}"#
      ),
    ] as [(String?, [String], String?)]
  )
  func claims(_ claims: String?, _ capabilities: [String], _ expected: String?) throws {
    #expect(try ClaimsParameter.merging(claims, capabilities: capabilities) == expected)
  }

  @Test("an invalid claims request is rejected", arguments: ["[]", "{", #"{"a":1,"a":2}"#], [[], ["CP1"]])
  func invalidClaims(_ claims: String, _ capabilities: [String]) {
    let error = #expect(throws: AuthenticationError.self) {
      try ClaimsParameter.merging(claims, capabilities: capabilities)
    }
    #expect(error?.message.hasPrefix("claims aren't a JSON object") == true)
  }

  @Test(
    "the endpoint's own query is kept",
    arguments: [
      ("https://id.example/a", "https://id.example/a?client_id="),
      ("https://id.example/a?x=1", "https://id.example/a?x=1&client_id="),
      ("https://id.example/a?", "https://id.example/a?client_id="),
    ]
  )
  func url(_ endpoint: String, _ start: String) throws {
    let metadata = try ProtocolFixtures.metadata(["authorization_endpoint": .string(endpoint)])
    let url = try ProtocolFixtures.request().url(metadata: metadata)
    #expect(url.hasPrefix(start))
    #expect(url.contains("&redirect_uri=http%3A%2F%2Flocalhost%3A4711&"))
    #expect(url.utf8.allSatisfy { (0x21...0x7E).contains($0) })
  }

  @Test("an endpoint whose query has a built-in parameter is rejected", arguments: ["st%61te", "State"])
  func endpointQuery(name: String) throws {
    let endpoint: JSONValue = .string("https://id.example/a?\(name)=x")
    let metadata = try ProtocolFixtures.metadata(["authorization_endpoint": endpoint])
    let error = #expect(throws: AuthenticationError.self) { try ProtocolFixtures.request().url(metadata: metadata) }
    #expect(error?.message.hasSuffix("an endpoint's query contains a parameter of the request") == true)
  }

  @Test("a pushed request has all parameters in the form, and only its name in the URL")
  func pushed() throws {
    let metadata = try ProtocolFixtures.metadata(["require_pushed_authorization_requests": true])
    let request = try ProtocolFixtures.request()
    let error = #expect(throws: AuthenticationError.self) { try request.url(metadata: metadata) }
    #expect(error?.message.contains("accepts only pushed authorization requests") == true)
    let client = try OAuthClient(ProtocolFixtures.clientID, at: Authority("https://id.example"))
    let form = FormEncoding.decode(try request.pushedForm(to: "https://id.example/par", from: client).body.revealed)
    #expect(form.map(\.name) == (try request.parameters().map(\.name)))
    let body = Array(#"{"request_uri":"urn:ietf:params:oauth:request_uri:abc","expires_in":60}"#.utf8)
    #expect(
      try request.url(metadata: metadata, pushed: EndpointResponse(status: 201, body: body))
        == "https://id.example/authorize?client_id=\(ProtocolFixtures.clientID)"
        + "&request_uri=urn%3Aietf%3Aparams%3Aoauth%3Arequest_uri%3Aabc"
    )
  }

  @Test(
    "a rejected push, or an invalid response, is an error",
    arguments: [
      (400, #"{"error":"invalid_request"}"#, "invalid_request"), (201, #"{"expires_in":60}"#, "request_uri is missing"),
      (201, #"{"request_uri":"a b","expires_in":60}"#, "request_uri contains an invalid character"),
      (201, "", "isn't a JSON object"), (503, "", "HTTP status 503"), (302, "", "it is a redirect"),
    ]
  )
  func rejectedPush(_ status: Int, _ body: String, _ reason: String) {
    let response = EndpointResponse(status: status, body: Array(body.utf8))
    let error = #expect(throws: AuthenticationError.self) {
      try ProtocolFixtures.request().url(metadata: ProtocolFixtures.metadata(), pushed: response)
    }
    #expect(error?.provider?.error == (status == 400 ? "invalid_request" : nil))
    #expect(error?.message.contains(reason) == true, "\(error as Any)")
  }
}
