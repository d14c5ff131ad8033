@testable import DemoProvider
import MSAuth
import TestSupport
import Testing

@Suite("requested and granted scopes", .limitedConcurrency)
struct ScopeTests {
  @Test("declined scopes throw an error with the valid result, which is stored")
  func declined() async throws {
    let fixture = try await ApplicationFixture([.tokenScopeNarrowed])
    let error = try await failure { try await fixture.signIn() }
    #expect(error.code == .serverDeclinedScopes)
    #expect(error.declinedScopes == ["User.Read"] && error.message.contains("User.Read"))
    let result = try #require(error.result)
    #expect(result.scopes == ["openid", "profile"])
    #expect(try await fixture.application.accounts().map(\.username) == ["ada@contoso.example"])
    #expect(try await fixture.browser.lastTitle().hasPrefix("Signed in, with fewer permissions – "))
    #expect(try await fixture.renew(result.account, force: false) { $0.scopes = ["openid", "profile"] }.isFromCache)
  }

  @Test("a requested email scope counts as granted even if it isn't returned, as in MSAL")
  func email() async throws {
    let fixture = try await ApplicationFixture([.tokenScopeNarrowed])
    let token = try await fixture.signIn { $0.scopes = ["email"] }
    #expect(token.scopes.contains("email"))
    #expect(try await fixture.renew(token.account, force: false) { $0.scopes = ["email"] }.isFromCache)
  }

  @Test("all parameters are sent in the requests")
  func requests() async throws {
    let fixture = try await ApplicationFixture(kind: .entra("common")) {
      $0.clientCapabilities = ["CP1"]
      $0.multipleCloudsSupported = true
    }
    let token = try await fixture.signIn {
      $0.interaction?.extraScopesToConsent = ["Mail.Read"]
      $0.claims = #"{"id_token":{"given_name":null}}"#
      $0.resource = "https://graph.microsoft.com/"
      $0.interaction?.domainHint = "organizations"
      $0.interaction?.loginHint = "ada@contoso.example"
      $0.interaction?.acrValues = "urn:a urn:b"
      $0.extraQueryParameters = ["dc": "ESTS-PUB"]
    }
    let authorize = try #require(await fixture.requests(for: "/common/oauth2/v2.0/authorize").first)
    let expected = [
      "resource": "https://graph.microsoft.com/", "domain_hint": "organizations", "instance_aware": "true",
      "login_hint": "ada@contoso.example", "acr_values": "urn:a urn:b", "dc": "ESTS-PUB", "client_info": "1",
    ]
    for (name, value) in expected { #expect(authorize[name] == value, "\(name)") }
    #expect(authorize["scope"]?.contains("Mail.Read") == true)
    let exchange = try #require(await fixture.requests(for: "/common/oauth2/v2.0/token").first)
    for request in [authorize, exchange] {
      #expect(request["claims"]?.contains(#""xms_cc":{"values":["CP1"]}"#) == true)
      #expect(request["claims"]?.contains("given_name") == true)
    }
    #expect(exchange["resource"] == "https://graph.microsoft.com/" && exchange["client_info"] == "1")
    // MSAL sends extra parameters to both endpoints.
    #expect(exchange["dc"] == "ESTS-PUB")

    _ = try await fixture.renew(token.account) { $0.extraQueryParameters = ["slice": "testslice"] }
    let refresh = try #require(await fixture.provider.record.last { $0["grant_type"] == "refresh_token" })
    #expect(refresh["claims"]?.contains("CP1") == true && refresh["slice"] == "testslice")
    // Silent requests go to the account's home tenant.
    #expect(refresh.path.hasPrefix("/aaaabbbb-0000-cccc-1111-dddd2222eeee/"))
  }

  @Test("a token for a named API isn't sent to the userinfo endpoint, even if the name is missing")
  func userinfo() async throws {
    let fixture = try await ApplicationFixture([.scopeUserinfoClaims])
    func userinfoRequests() async -> Int { await fixture.provider.record.filter { $0.path == "/oidc/userinfo" }.count }
    _ = try await fixture.signIn { $0.resource = "https://api.example" }
    #expect(await userinfoRequests() == 0)
    _ = try await fixture.signIn()
    #expect(await userinfoRequests() == 1)
  }
}
