@testable import DemoProvider
import MSAuthCore
import MSAuthCrypto
import Testing

@Suite("DemoProvider: refresh and revocation")
struct DemoRefreshTests {
  @Test("a refresh token used twice revokes all tokens", arguments: DemoClient.ProviderKind.allCases)
  func rotation(_ kind: DemoClient.ProviderKind) async throws {
    let client = try await DemoClient(kind: kind)
    let first = try #require(try await client.tokens()["refresh_token"]?.string)
    let (status, tokens) = try await client.refresh(first)
    let second = try #require(tokens["refresh_token"]?.string)
    #expect(status == 200 && second != first)
    #expect(try UnverifiedToken(tokens["id_token"]?.string).claims["nonce"] == nil)
    for token in [first, second] { #expect(try await client.refresh(token).json["error"] == "invalid_grant") }
  }

  @Test("a refresh can't exceed the grant, or the consent at Entra")
  func scopes() async throws {
    let plain = try await DemoClient(kind: .oidc)
    let token = try #require(try await plain.tokens()["refresh_token"]?.string)
    #expect(try await plain.refresh(token, scope: "openid Mail.Read").json["error"] == "invalid_scope")

    let entra = try await DemoClient()
    let other = try #require(try await entra.tokens()["refresh_token"]?.string)
    let (_, error) = try await entra.refresh(other, scope: "openid offline_access Mail.Read")
    #expect(error["error"] == "invalid_grant" && error["suberror"] == "consent_required")
    #expect(error["error_codes"] == [65001])
  }

  @Test("a refresh token requires offline_access, which Entra's scope omits")
  func offline() async throws {
    let client = try await DemoClient()
    let tokens = try await client.tokens()
    #expect(tokens["scope"] == "openid profile User.Read")
    #expect(try await client.tokens(["scope": "openid User.Read"])["refresh_token"] == nil)
  }

  @Test("a token is for a single resource")
  func resources() async throws {
    let client = try await DemoClient()
    let scope = "openid api://orders.example/Orders.Read"
    #expect(try await client.tokens(["scope": scope])["scope"] == "api://orders.example/Orders.Read")
    for (requested, expected) in [(nil, nil), (scope + " User.Read", [28000])] as [(String?, JSONValue?)] {
      let code = try #require(try await client.signIn(["scope": scope + " User.Read"])["code"])
      #expect(try await client.redeem(code, ["scope": requested]).json["error_codes"] == expected)
    }
  }

  @Test("revoking a refresh token revokes its access tokens; an unknown token isn't an error")
  func revocation() async throws {
    let client = try await DemoClient(kind: .oidc)
    let tokens = try await client.tokens()
    let userinfo = client.provider.oidcIssuer + "/userinfo"
    #expect(try await client.get(userinfo, bearer: tokens["access_token"]?.string).status == 200)
    for token in ["unknown", tokens["refresh_token"]?.string] {
      let form = ["token": token, "client_id": client.provider.clientID]
      #expect(try await client.post(client.provider.oidcIssuer + "/revoke", form).status == 200)
    }
    #expect(try await client.get(userinfo, bearer: tokens["access_token"]?.string).status == 401)
    #expect(try await client.get(userinfo).header("www-authenticate") == "Bearer")
  }
}
