@testable import DemoProvider
import MSAuth
import Synchronization
import TestSupport
import Testing

@Suite("challenges from resources", .limitedConcurrency)
struct ChallengeTests {
  private let fixture: DemoProviderFixture

  init() async throws { fixture = try await DemoProviderFixture.plain(signedIn: ["ada"]) }

  @Test("claims are requested silently, once, bypassing the cache (Continuous Access Evaluation)")
  func silent() async throws {
    await fixture.provider.set(faults: [.graphInsufficientClaims])
    await fixture.provider.forgetRecord()
    try await fixture.graph().expect(0, output: "Ada Lovelace")
    let record = await fixture.provider.record
    #expect(record.filter { $0.path == "/v1.0/me" }.map(\.status) == [401, 200])
    let refresh = record.filter { $0.path == "/oidc/token" }
    #expect(refresh.count == 1 && refresh.first?["claims"]?.contains("1604106651") == true)
    #expect(!record.contains { $0.path == "/oidc/authorize" })
  }

  @Test("if consent is missing, the hint names the challenge's scopes too")
  func consent() async throws {
    await fixture.provider.set(faults: [.refreshConsentRequired])
    let field = #"Bearer error="invalid_token", scope="openid""#
    try await fixture.run(["token", "--www-authenticate", field], as: "ada")
      .expect(2, "--scope User.Read --scope openid\n", stdout: "")
    try await fixture.graph("--scope", "Mail.Read")
      .expect(0, "msauth: \(ada) hasn't granted User.Read Mail.Read; signing in\n")
  }

  @Test(
    "if the provider requires interaction, the browser opens; at a step-up challenge at once (RFC 9470)",
    arguments: [
      ([.graphInsufficientClaims, .claimsNeedUser], ["login_hint": ada, "claims": "1604106651"]),
      ([.graphStepUp], ["acr_values": "urn:demo:two-factors", "max_age": "60"]),
    ] as [(Set<Fault>, [String: String])]
  )
  func interactive(faults: Set<Fault>, sent: [String: String]) async throws {
    await fixture.provider.set(faults: faults)
    try await fixture.graph().expect(0, output: "Ada Lovelace")
    let authorize = try #require(await fixture.provider.record.last { $0.path == "/oidc/authorize" })
    for (name, value) in sent { #expect(authorize[name]?.contains(value) == true, "\(name)") }
  }

  @Test("a scope named by the resource is requested only if the user names it too (RFC 6750 §3.1)")
  func scope() async throws {
    await fixture.provider.set(faults: [.graphInsufficientScope])
    await fixture.provider.forgetRecord()
    // Without interaction, the message names the missing scope.
    let field = #"Bearer error="insufficient_scope", scope="Mail.Read""#
    let token = try await fixture.run(["token", "--www-authenticate", field], as: "ada")
    #expect(token.code == 2 && token.stdout.isEmpty && token.stderr.contains("Mail.Read"), "\(token)")
    #expect(await fixture.provider.record.isEmpty)

    try await fixture.graph().expect(1, "add --scope Mail.Read")
    #expect(await fixture.provider.record.map(\.status) == [403])
    try await fixture.graph("--scope", "Mail.Read").expect(0, output: "Ada Lovelace")
    let record = await fixture.provider.record
    #expect(record.filter { $0.path == "/v1.0/me" }.map(\.status) == [403, 200])
    let authorize = try #require(record.last { $0.path == "/oidc/authorize" })
    let scopes = Set(authorize["scope"]?.split(separator: " ") ?? [])
    #expect(scopes.isSuperset(of: ["openid", "User.Read", "Mail.Read"]), "\(scopes)")
    // The next call uses the new token.
    await fixture.provider.forgetRecord()
    try await fixture.graph("--scope", "Mail.Read").expect(0)
    #expect(await fixture.provider.record.map(\.path) == ["/v1.0/me"])
  }

  @Test("if a rejected token can't be renewed, the browser opens, however new the token is")
  func rejectedAndNotRenewable() async throws {
    let provider = fixture.provider
    let token = try await fixture.run(["token"], as: "ada").stdout.filter { $0 != "\n" }
    let form = ["token": token, "client_id": provider.clientID]
    try #require(try await HTTPClient.post(provider.oidcIssuer + "/revoke", form: form).status == 200)
    await provider.set(faults: [.refreshBadToken])
    await provider.forgetRecord()
    try await fixture.graph().expect(0, output: "Ada Lovelace")
    let grants = await provider.record.filter { $0.path == "/oidc/token" }.map { $0["grant_type"] }
    #expect(grants.first == "refresh_token" && grants.last == "authorization_code", "\(grants)")
  }

  @Test(
    "a resource that rejects every token gets two requests",
    arguments: [
      #"Bearer error="invalid_token""#,
      // Microsoft Graph's.
      #"Bearer realm="", authorization_uri="https://login.example/authorize", client_id="00000003""#,
    ]
  )
  func rejectsAll(field: String) async throws {
    await fixture.provider.forgetRecord()
    let resource = try ScriptedServer { _, _ in .init(401, headers: ["WWW-Authenticate": field]) }
    try await fixture.run(["graph", "--endpoint", resource.url], as: "ada")
      .expect(1, "returned 401", "hint: the token has the scopes ")
    let sent = resource.authorizations
    #expect(sent.count == 2 && Set(sent).count == 2 && resource.requests.count == 2)
    #expect(await fixture.provider.record.filter { $0.path == "/oidc/token" }.count == 1)
  }

  @Test("a token that expires between the pages of a list is renewed once, for all pages that follow")
  func expiresInList() async throws {
    await fixture.provider.forgetRecord()
    let isExpired = Mutex(true)
    let resource = try ScriptedServer { request, base in
      let page = request.query["page"].flatMap { Int($0) } ?? 1
      let rejects = isExpired.withLock { isExpired in
        defer { isExpired = isExpired && page != 2 }
        return isExpired && page == 2
      }
      if rejects { return .init(401, headers: ["WWW-Authenticate": #"Bearer realm="""#]) }
      let next = page < 3 ? #", "@odata.nextLink": "\#(base)/v1.0/me?page=\#(page + 1)""# : ""
      return .json(#"{"value": [\#(page)]\#(next)}"#)
    }
    let outcome = try await fixture.run(["graph", "--endpoint", resource.url, "--paginate"], as: "ada")
    #expect(try outcome.json == [1, 2, 3], "\(outcome)")
    let sent = resource.authorizations
    #expect(sent.count == 4 && sent[0] == sent[1] && sent[1] != sent[2] && sent[2] == sent[3], "\(sent)")
    #expect(await fixture.provider.record.filter { $0.path == "/oidc/token" }.count == 1)
  }

  @Test("without a sent token, the stored one is used if it has the scopes; if none can help, none is printed")
  func noToken() async throws {
    let token = try await fixture.run(["token"], as: "ada").stdout
    await fixture.provider.forgetRecord()
    for field in ["Bearer", #"WWW-Authenticate: Bearer realm="r", scope="User.Read""#, #"DPoP algs="ES256""#] {
      try await fixture.run(["token", "--www-authenticate", field], as: "ada").expect(0, stdout: token)
    }
    try await fixture.run(["token", "--www-authenticate", #"Bearer scope="Mail.Read""#], as: "ada")
      .expect(2, "Mail.Read")
    for field in [#"Basic realm="r""#, #"Bearer error="invalid_client""#, ""] {
      try await fixture.run(["token", "--www-authenticate", field], as: "ada").expect(64, "invalid_token", stdout: "")
    }
    #expect(await fixture.provider.record.isEmpty)
    let resource = try ScriptedServer { _, _ in .init(401, headers: ["WWW-Authenticate": "Bearer"]) }
    try await fixture.run(["graph", "--endpoint", resource.url], as: "ada").expect(1)
    // Again with a new token, since the first may have been revoked.
    #expect(resource.requests.count == 2)
  }

  @Test("a resource that requires a scope the token already has gets two requests")
  func scopeIsNotEnough() async throws {
    let field = #"Bearer error="insufficient_scope", scope="User.Read""#
    let resource = try ScriptedServer { _, _ in .init(403, headers: ["WWW-Authenticate": field]) }
    try await fixture.run(["graph", "--endpoint", resource.url], as: "ada")
      .expect(1, "the token needs the scope User.Read")
    #expect(resource.requests.count == 2)
  }

  @Test(
    "a sign-in carries the claims of a failed refresh, also while the refresh is throttled",
    arguments: [true, false]
  )
  func conditionalAccess(isFirst: Bool) async throws {
    let fixture = try await DemoProviderFixture()
    try await fixture.signIn("ada", "--scope", "User.Read")
    await fixture.provider.set(faults: [.refreshClaimsChallenge])
    if !isFirst {
      try await fixture.run(["token", "--force-refresh"], as: "ada")
        .expect(2, "AADSTS53003", "hint: run msauth token ", " --interactive")
      let json = try await fixture.run(["token", "--force-refresh", "--json"], as: "ada")
      #expect(json.stdout.contains("capolids"), "\(json)")
    }
    await fixture.provider.forgetRecord()
    let outcome = try await fixture.run(["token", "--force-refresh", "--interactive"], as: "ada")
    #expect(outcome.code == 0 && !outcome.stdout.isEmpty, "\(outcome)")
    let record = await fixture.provider.record
    let authorize = try #require(record.first { $0.path.hasSuffix("/authorize") })
    #expect(authorize["claims"] == #"{"access_token":{"capolids":{"essential":true,"values":["a-policy"]}}}"#)
    #expect(authorize["login_hint"] == ada)
    #expect(record.contains { $0["grant_type"] == "refresh_token" } == isFirst)
  }

  @Test("token --claims and --www-authenticate bypass the cache")
  func byHand() async throws {
    let first = try await fixture.run(["token"], as: "ada")
    let claims = #"{"access_token":{"nbf":{"essential":true,"value":"1"}}}"#
    let field =
      #"WWW-Authenticate: Bearer error="insufficient_claims", claims="eyJhY2Nlc3NfdG9rZW4iOnsibmJmIjp7fX19""#
    let encoded = Data(claims.utf8).base64EncodedString()
    for arguments in [["--claims", claims], ["--claims", encoded], ["--www-authenticate", field]] {
      let outcome = try await fixture.run(["token"] + arguments, as: "ada")
      #expect(outcome.code == 0 && outcome.stdout != first.stdout, "\(outcome)")
      let refresh = try #require(await fixture.provider.record.last { $0["grant_type"] == "refresh_token" })
      #expect(refresh["claims"]?.contains("nbf") == true)
    }
    // A plain sign-in wouldn't request the claims.
    await fixture.provider.set(faults: [.claimsNeedUser])
    try await fixture.run(["token", "--claims", encoded], as: "ada")
      .expect(2, "hint: run msauth token ", encoded, " --interactive")
  }
}
