import DemoProvider
import Foundation
import LibCrypto
import Core
import TestSupport
import Testing

@Suite("DemoProvider: authorization code flow")
struct CodeFlowTests {
  @Test("a sign-in gives tokens whose ID token verifies", arguments: DemoClient.ProviderKind.allCases)
  func signIn(_ kind: DemoClient.ProviderKind) async throws {
    try await withDemo { provider in
      let client = DemoClient(provider: provider, kind: kind)
      let result = try await client.signIn()
      #expect(result["state"] == "the state")
      #expect(result["iss"] == (kind == .oidc ? provider.oidcIssuer : nil))

      let (status, tokens) = try await client.redeem(try #require(result["code"]))
      #expect(status == 200)
      #expect(tokens["token_type"] == "Bearer")
      #expect(tokens["expires_in"]?.integer == 3600)
      #expect(tokens["refresh_token"]?.string != nil)
      let metadata = try await client.json(client.metadataURL)
      let token = try LooseToken(tokens["id_token"]?.string)
      let keys = try await client.json(try #require(metadata["jwks_uri"]?.string))
      #expect(try token.verified(by: keys) == [true])
      #expect(token.claims["aud"]?.string == provider.clientID)
      #expect(token.claims["nonce"] == "the-nonce")
      #expect(token.claims["preferred_username"] == "ada@contoso.example")
      let hash = Digest.sha256.hash(try #require(tokens["access_token"]?.string).utf8).prefix(16)
      #expect(token.claims["at_hash"]?.string == Base64URL.encode(hash))
      #expect(token.claims["sub"]?.string != provider.people[0].objectID)
    }
  }

  @Test("form_post reaches the application by POST", arguments: DemoClient.ProviderKind.allCases)
  func formPost(_ kind: DemoClient.ProviderKind) async throws {
    try await withDemo { provider in
      let client = DemoClient(provider: provider, kind: kind)
      var page = try await client.walker.open(client.authorizeURL(["response_mode": "form_post"]))
      page = try await client.walker.press("account-ada", on: page)
      page = try await client.walker.press("accept", on: page)
      #expect(page.has("continue"))
      #expect(page.response.text.contains("<form method=\"post\" action=\"http://localhost:9/\">"))
      #expect(page.response.text.contains("name=\"state\" value=\"the state\""))
      let policy = try #require(page.response.header("content-security-policy"))
      #expect(policy.contains("script-src 'nonce-") && !policy.contains("form-action"))
      let fields = page.response.text.split(separator: "name=\"code\" value=\"")
      let code = try #require(fields.last?.prefix { $0 != "\"" })
      #expect(try await client.redeem(String(code)).status == 200)
    }
  }

  @Test("the fragment mode puts the result behind a number sign")
  func fragment() async throws {
    try await withDemo { provider in
      let client = DemoClient(provider: provider)
      _ = try await client.signIn()
      let reply = try await client.get(client.authorizeURL(["prompt": "none", "response_mode": "fragment"]))
      #expect(reply.header("location")?.hasPrefix("http://localhost:9/#error=login_required&") == true)
    }
  }

  @Test(
    "what a code is bound to must come with it",
    arguments: [
      (["code_verifier": String(repeating: "w", count: 43)], 501_481), (["code_verifier": "short"], 501_481),
      (["redirect_uri": "http://localhost:10"], 500_112), (["client_id": "other"], 700_016),
      (["code": "unknown"], 70_000), (["client_secret": "x"], 700_025), (["code_verifier": nil], 900_144),
      (["grant_type": "password"], 70_003),
    ] as [([String: String?], Int64)]
  )
  func bound(_ changes: [String: String?], _ number: Int64) async throws {
    try await withDemo { provider in
      let client = DemoClient(provider: provider)
      let result = try await client.signIn()
      let (status, error) = try await client.redeem(try #require(result["code"]), changes)
      #expect(status == 400 || status == 401)
      #expect(error["error_codes"]?.array?.first?.integer == number)
    }
  }

  @Test("a code shown twice withdraws what it gave", arguments: DemoClient.ProviderKind.allCases)
  func replay(_ kind: DemoClient.ProviderKind) async throws {
    try await withDemo { provider in
      let client = DemoClient(provider: provider, kind: kind)
      let code = try #require(try await client.signIn()["code"])
      let access = try #require(try await client.redeem(code).json["access_token"]?.string)
      #expect(try await client.get(provider.graphURL + "/v1.0/me", bearer: access).status == 200)
      #expect(try await client.redeem(code).json["error"] == "invalid_grant")
      #expect(try await client.get(provider.graphURL + "/v1.0/me", bearer: access).status == 401)
    }
  }

  @Test("a code lives for a minute, an access token for its lifetime")
  func lifetimes() async throws {
    let clock = TestClock(at: 1_800_000_000)
    try await withDemo(DemoOptions(accessTokenLifetime: 120, algorithm: .es256, clock: clock)) { provider in
      let client = DemoClient(provider: provider)
      let late = try #require(try await client.signIn()["code"])
      clock.advance(by: 60)
      #expect(try await client.redeem(late).json["error"] == "invalid_grant")
      let tokens = try await client.tokens()
      #expect(tokens["expires_in"]?.integer == 120)
      clock.advance(by: 120)
      let reply = try await client.get(provider.graphURL + "/v1.0/me", bearer: tokens["access_token"]?.string)
      #expect(reply.status == 401)
      #expect(reply.header("www-authenticate")?.contains("error=\"invalid_token\"") == true)
    }
  }

  @Test(
    "a bad redirect URI or client is shown to the person, never redirected",
    arguments: [
      ["redirect_uri": "http://localhost:9/elsewhere"], ["redirect_uri": "https://attacker.example/"],
      ["redirect_uri": "http://localhost.attacker.example/"], ["redirect_uri": "http://user@localhost/"],
      ["redirect_uri": nil], ["client_id": "other"], ["client_id": nil],
    ]
  )
  func page(_ changes: [String: String?]) async throws {
    try await withDemo { provider in
      let client = DemoClient(provider: provider)
      let reply = try await client.get(client.authorizeURL(changes))
      #expect(reply.status == 400)
      #expect(reply.header("location") == nil)
      #expect(reply.text.contains("AADSTS"))
    }
  }

  @Test(
    "other bad requests are reported to the application",
    arguments: [
      (["code_challenge": nil], "invalid_request"), (["code_challenge_method": "plain"], "invalid_request"),
      (["scope": "openid Unknown.Scope"], "invalid_scope"), (["response_type": "token"], "unsupported_response_type"),
      (["prompt": "sometimes"], "invalid_request"), (["prompt": "none login"], "invalid_request"),
      (["response_mode": "smoke"], "invalid_request"), (["max_age": "soon"], "invalid_request"),
      (["claims": "[]"], "invalid_request"), (["prompt": "none"], "login_required"),
    ] as [([String: String?], String)]
  )
  func redirected(_ changes: [String: String?], _ error: String) async throws {
    try await withDemo { provider in
      let client = DemoClient(provider: provider)
      let result = try await client.signIn(changes)
      #expect(result["error"] == error)
      #expect(result["state"] == "the state")
      #expect(result["error_description"]?.hasPrefix("AADSTS") == true)
      #expect(result["code"] == nil)
    }
  }

  @Test("a cancelled consent comes back as Entra's cancel")
  func cancel() async throws {
    try await withDemo { provider in
      let result = try await DemoClient(provider: provider).signIn(accepts: false)
      #expect(result["error"] == "access_denied")
      #expect(result["error_subcode"] == "cancel")
    }
  }

  @Test("the consent page names the application that asks")
  func consentPage() async throws {
    try await withDemo { provider in
      let client = DemoClient(provider: provider)
      let address = client.authorizeURL(["client_id": provider.otherClientID])
      let page = try await client.walker.press("account-ada", on: try await client.walker.open(address))
      #expect(page.has("accept") && page.response.text.contains("<b>Another application</b>"), "\(page)")
    }
  }

  @Test("client_info is given to those who ask")
  func clientInfo() async throws {
    try await withDemo { provider in
      let client = DemoClient(provider: provider)
      #expect(try await client.tokens()["client_info"] == nil)
      let tokens = try await client.tokens(["client_info": "1"])
      let info = try JSON(parsing: Base64URL.decode(try #require(tokens["client_info"]?.string)) ?? [])
      #expect(info == ["uid": .string(provider.people[0].objectID), "utid": .string(provider.people[0].tenant.id)])
    }
  }

  @Test("the algorithm can be chosen", arguments: [SignatureAlgorithm.rs256, .ps256, .es256])
  func algorithms(_ algorithm: SignatureAlgorithm) async throws {
    try await withDemo(DemoOptions(algorithm: algorithm)) { provider in
      let client = DemoClient(provider: provider, kind: .oidc)
      let token = try LooseToken(try await client.tokens()["id_token"]?.string)
      #expect(token.header["alg"]?.string == algorithm.rawValue)
      #expect(try token.verified(by: await client.json(provider.oidcIssuer + "/keys")) == [true])
    }
  }
}
