@testable import DemoProvider
import MSAuthCrypto
import TestSupport
import Testing

@Suite("DemoProvider: authorization code flow")
struct CodeFlowTests {
  @Test(
    "a code requires the values that it is bound to",
    arguments: [
      (["code_verifier": String(repeating: "w", count: 43)], 501_481), (["code_verifier": "short"], 501_481),
      (["redirect_uri": "http://localhost:10"], 500_112), (["client_id": "other"], 700_016),
      (["code": "unknown"], 70_000), (["client_secret": "x"], 700_025), (["code_verifier": nil], 900_144),
      (["grant_type": "password"], 70_003),
    ] as [([String: String?], Int64)]
  )
  func bound(_ changes: [String: String?], _ number: Int64) async throws {
    let client = try await DemoClient()
    let result = try await client.signIn()
    let (status, error) = try await client.redeem(try #require(result["code"]), changes)
    #expect([400, 401].contains(status) && error["error_codes"]?.array?.first?.integer == number)
  }

  @Test("a code used twice revokes its tokens", arguments: DemoClient.ProviderKind.allCases)
  func replay(_ kind: DemoClient.ProviderKind) async throws {
    let client = try await DemoClient(kind: kind)
    let code = try #require(try await client.signIn()["code"])
    let access = try #require(try await client.redeem(code).json["access_token"]?.string)
    #expect(try await client.me(access).status == 200)
    #expect(try await client.redeem(code).json["error"] == "invalid_grant")
    #expect(try await client.me(access).status == 401)
  }

  @Test(
    "Graph's resources each need a token with their permission",
    arguments: [
      ("Mail.Read", "messages"), ("User.Read", "photo/$value"), ("Files.Read", "drive"),
      ("https://outlook.office.com/SMTP.Send", nil),
    ]
  )
  func permissions(_ scope: String, _ permitted: String?) async throws {
    let client = try await DemoClient(kind: .entra)
    let token = try await client.tokens(["scope": "openid \(scope)"])["access_token"]?.string
    for (resource, content) in [("messages", "Welcome, "), ("photo/$value", "JFIF"), ("drive", "driveType")] {
      let response = try await client.get(client.provider.graphURL + "/v1.0/me/" + resource, bearer: token)
      #expect(response.status == (resource == permitted ? 200 : 403), "\(resource)")
      let body = String(decoding: response.body, as: UTF8.self)
      #expect(body.contains(content) == (resource == permitted), "\(resource)")
    }
  }

  @Test("Graph has the users, and the same resources in both versions")
  func graph() async throws {
    let client = try await DemoClient(kind: .entra)
    let token = try await client.tokens()["access_token"]?.string
    for version in ["v1.0", "beta"] {
      let address = client.provider.graphURL + "/" + version
      let me = try JSONValue(parsing: try await client.get(address + "/me", bearer: token).body)
      let users = try JSONValue(parsing: try await client.get(address + "/users", bearer: token).body)
      #expect(me["displayName"] == "Ada Lovelace" && users["value"]?.array?.count == 3, "\(users)")
    }
  }

  @Test("a code lives for a minute, an access token for its lifetime")
  func lifetimes() async throws {
    let client = try await DemoClient(options: DemoOptions(accessTokenLifetime: 120, algorithm: .es256))
    let late = try #require(try await client.signIn()["code"])
    client.clock.advance(by: 60)
    #expect(try await client.redeem(late).json["error"] == "invalid_grant")
    let tokens = try await client.tokens()
    #expect(tokens["expires_in"]?.integer == 120)
    client.clock.advance(by: 120)
    let reply = try await client.me(tokens["access_token"]?.string)
    #expect(reply.status == 401 && reply.header("www-authenticate")?.contains("error=\"invalid_token\"") == true)
  }

  @Test(
    "an invalid redirect URI or client is shown to the user, never redirected",
    arguments: [
      ["redirect_uri": "http://localhost:9/elsewhere"], ["redirect_uri": "https://attacker.example/"],
      ["redirect_uri": "http://localhost.attacker.example/"], ["redirect_uri": "http://user@localhost/"],
      ["redirect_uri": nil], ["client_id": "other"], ["client_id": nil],
    ]
  )
  func page(_ changes: [String: String?]) async throws {
    let client = try await DemoClient()
    let reply = try await client.get(client.authorizeURL(changes))
    #expect(reply.status == 400 && reply.header("location") == nil && reply.text.contains("AADSTS"))
  }

  @Test(
    "other invalid requests are reported to the application",
    arguments: [
      (["code_challenge": nil], "invalid_request"), (["code_challenge_method": "plain"], "invalid_request"),
      (["scope": "openid Unknown.Scope"], "invalid_scope"), (["response_type": "token"], "unsupported_response_type"),
      (["prompt": "sometimes"], "invalid_request"), (["prompt": "none login"], "invalid_request"),
      (["response_mode": "smoke"], "invalid_request"), (["max_age": "soon"], "invalid_request"),
      (["claims": "[]"], "invalid_request"), (["prompt": "none"], "login_required"),
    ] as [([String: String?], String)]
  )
  func redirected(_ changes: [String: String?], _ error: String) async throws {
    let client = try await DemoClient()
    let result = try await client.signIn(changes)
    #expect(result["error"] == error && result["state"] == "the state" && result["code"] == nil)
    #expect(result["error_description"]?.hasPrefix("AADSTS") == true)
  }
}
