@testable import DemoProvider
import MSAuth
@testable import MSAuthCache
import TestSupport
import Testing

@Suite("refresh errors", .limitedConcurrency)
struct RefreshTests {
  @Test(
    "a refresh is retried after a server error at Microsoft only: elsewhere the refresh token may be used up",
    arguments: [(.entra("common"), [503, 200]), (.oidc, [503])] as [(ApplicationFixture.ProviderKind, [Int])]
  )
  func retriedOnce(_ kind: ApplicationFixture.ProviderKind, statuses: [Int]) async throws {
    let (fixture, account) = try await ApplicationFixture(kind: kind).signedIn()
    await fixture.provider.forgetRecord()
    await fixture.provider.set(faults: [.token503Once])
    let result = try? await fixture.renew(account)
    #expect(await fixture.provider.record.filter { $0.path.hasSuffix("/token") }.map(\.status) == statuses)
    #expect((result == nil) == (statuses.last == 503))
  }

  @Test("a refresh at a plain provider requests no more than the grant, and a narrower refresh doesn't shrink it")
  func grantedScopes() async throws {
    let fixture = try await ApplicationFixture()
    let account = try await fixture.signIn { $0.scopes = ["User.Read", "Mail.Read"] }.account
    await fixture.provider.forgetRecord()
    _ = try await fixture.renew(account) { $0.scopes = ["Mail.Read"] }
    _ = try await fixture.renew(account) { $0.scopes = ["User.Read", "Mail.Read"] }
    let error = try await failure { try await fixture.renew(account) { $0.scopes = ["Files.Read"] } }
    #expect(error.code == .interactionRequired && error.reason == "scopes_not_granted", "\(error)")
    #expect(error.hint == "\(signIn: ["Files.Read"])")
    #expect(await fixture.requests(for: "/oidc/token").map(\.status) == [200, 200])
  }

  @Test("without scopes, the token has the sign-in's scopes, not those stored last")
  func noScopes() async throws {
    let fixture = try await ApplicationFixture()
    let account = try await fixture.signIn { $0.scopes = ["User.Read", "Mail.Read"] }.account
    _ = try await fixture.renew(account) { $0.scopes = ["Mail.Read"] }
    for isForced in [false, true] {
      let token = try await fixture.renew(account, force: isForced) { $0.scopes = [] }
      #expect(Set(token.scopes).isSuperset(of: ["User.Read", "Mail.Read"]), "\(token.scopes)")
    }
  }

  @Test("a token for a resource isn't returned to a caller without one (RFC 8707)")
  func resource() async throws {
    let fixture = try await ApplicationFixture()
    let named = try await fixture.signIn { $0.resource = "https://api.example" }
    let plain = try await fixture.renew(named.account, force: false)
    #expect(!plain.isFromCache && plain.accessToken != named.accessToken)
    _ = try await fixture.renew(named.account) { $0.resource = "https://api.example" }
    #expect(try await fixture.renew(named.account, force: false).accessToken == plain.accessToken)
  }

  @Test("at Entra, a scope without a stored grant is requested, since consent may exist")
  func missingConsent() async throws {
    let (fixture, account) = try await ApplicationFixture(kind: .entra("common")).signedIn()
    let error = try await failure { try await fixture.renew(account) { $0.scopes = ["Mail.Read"] } }
    #expect(error.code == .interactionRequired && error.provider?.codes == [65001], "\(error)")
    let page = "\(fixture.provider.baseURL)/\(Tenant.contoso.id)/adminconsent?client_id=\(fixture.provider.clientID)"
    #expect(error.hint?.description.hasSuffix("for the organization: \(page)") == true, "\(error)")
  }

  @Test(
    "a failed request isn't repeated within MSAL's windows, only after them",
    arguments: [
      (.token503, "server_unavailable", 60), (.token503RetryAfter, "server_unavailable", 1),
      (.token429RetryAfter, "server_unavailable", 7), (.refreshSlowDown, "slow_down", 60),
      (.refreshBadToken, "invalid_grant", 120), (.refreshConsentRequired, "consent_required", 120),
      (.invalidClient, "invalid_client", 120),
    ] as [(Fault, AuthenticationError.Reason, Int64)]
  )
  func throttled(_ fault: Fault, _ reason: AuthenticationError.Reason, _ window: Int64) async throws {
    let (fixture, account) = try await ApplicationFixture().signedIn()
    await fixture.provider.forgetRecord()
    await fixture.provider.set(faults: [fault])
    func failedRenewal() async throws -> AuthenticationError {
      try await failure { try await fixture.renew(account) }
    }
    func count() async -> Int { await fixture.requests(for: "/oidc/token").count }

    let first = try await failedRenewal()
    #expect(first.reason == reason && !first.isThrottled)
    #expect(await count() == 1)

    // Another process finds the throttle entry in the store.
    if window > 5 {
      let second = try await failedRenewal()
      #expect(second.isThrottled && second.code == first.code && second.reason == reason)
      #expect(second.provider == first.provider && second.message == first.message)
      let isBusy = first.code == .providerUnreachable
      #expect(isBusy ? second.hint == .tryAgainLater(after: second.retryAfter) : second.hint == first.hint)
      #expect((.seconds(1)...Duration.seconds(window)).contains(second.retryAfter ?? .zero))
      #expect(await count() == 1)
    }

    fixture.clock.advance(by: window + 1)
    #expect(try await !failedRenewal().isThrottled)
    #expect(await count() == 2)

    // A sign-in clears it.
    await fixture.provider.set(faults: [])
    _ = try await fixture.signIn()
    _ = try await fixture.renew(account)
    #expect(try await fixture.application.accounts().count == 1)
  }

  @Test("claims required by conditional access are reported, and stored with the failure")
  func claims() async throws {
    let (fixture, account) = try await ApplicationFixture(kind: .entra("common")).signedIn()
    await fixture.provider.set(faults: [.refreshClaimsChallenge])
    let words = "sign in with the claims of this request"
    let hint: Hint = "\(action: .signInForRequest(scopes: ["User.Read"]), or: words)"
    for isThrottled in [false, true] {
      let error = try await failure { try await fixture.renew(account) }
      #expect(error.code == .interactionRequired && error.isThrottled == isThrottled, "\(error)")
      #expect(error.provider?.claims == #"{"access_token":{"capolids":{"essential":true,"values":["a-policy"]}}}"#)
      #expect(error.hint == hint)
    }
  }

  @Test("an older refresh token of the account is used if the newest is rejected")
  func sibling() async throws {
    let (fixture, account) = try await ApplicationFixture(rotates: false).signedIn()
    // MSAL Python stores one per scope set; a newer used one must not hide a valid one.
    try await changeRefreshTokens(in: fixture) { tokens in
      var spent = try #require(tokens.values.first?.object)
      spent["secret"] = "demo-rt-spent"
      spent["last_modification_time"] = "99999999999"
      tokens["another-key"] = .object(spent)
    }

    await fixture.provider.forgetRecord()
    _ = try await fixture.renew(account)
    let sent = await fixture.requests(for: "/oidc/token").compactMap { $0["refresh_token"] }
    #expect(sent.count == 2 && sent.first == "demo-rt-spent")
  }

  @Test("each rejected refresh token is sent once")
  func siblingsRejected() async throws {
    let (fixture, account) = try await ApplicationFixture(rotates: false).signedIn()
    await fixture.provider.forgetRecord()
    for (spent, isThrottled, sent) in [
      (["demo-rt-1"], false, ["demo-rt-1"]),
      (["demo-rt-1", "demo-rt-2"], false, ["demo-rt-1", "demo-rt-2"]),
      (["demo-rt-1", "demo-rt-2"], true, ["demo-rt-1", "demo-rt-2"]),
    ] {
      try await keepRefreshTokens(spent, in: fixture)
      let error = try await failure { try await fixture.renew(account) }
      #expect(error.provider?.error == "invalid_grant" && error.isThrottled == isThrottled, "\(error)")
      #expect(await fixture.requests(for: "/oidc/token").compactMap { $0["refresh_token"] } == sent)
    }
    #expect(try await fixture.application.accounts().count == 1)
  }

  @Test("a rejected refresh token is sent once, even if another one fails for a different reason")
  func siblingFailed() async throws {
    let (fixture, account) = try await ApplicationFixture(kind: .entra("common"), rotates: false).signedIn()
    let json = try await JSONValue(parsing: fixture.store.load().serialized())
    let good = try #require(json["RefreshToken"]?.object?.values.first?["secret"]?.string)
    try await keepRefreshTokens(["demo-rt-spent", good], in: fixture)
    await fixture.provider.forgetRecord()
    for isThrottled in [false, true] {
      // A missing grant, which no other refresh token can change.
      let error = try await failure { try await fixture.renew(account) { $0.scopes = ["Mail.Read"] } }
      #expect(error.provider?.codes == [65001] && error.isThrottled == isThrottled, "\(error)")
      let sent = await fixture.provider.record.compactMap { $0["refresh_token"] }
      #expect(sent == ["demo-rt-spent", good])
    }
  }

  @Test("a token is renewed early after refresh_in, and stays valid if that fails")
  func early() async throws {
    let fixture = try await ApplicationFixture([.tokenRefreshIn])
    let first = try await fixture.signIn()
    #expect(try await fixture.renew(first.account, force: false).isFromCache)
    fixture.clock.advance(by: 1801)
    for fault in [Fault.token503, .refreshBadToken, .tokenHTML] {
      await fixture.provider.set(faults: [fault])
      let kept = try await fixture.renew(first.account, force: false)
      #expect(kept.isFromCache && kept.accessToken == first.accessToken)
    }
    fixture.clock.advance(by: 121)
    await fixture.provider.set(faults: [])
    let second = try await fixture.renew(first.account, force: false)
    #expect(!second.isFromCache && second.accessToken != first.accessToken)
  }
}

private func changeRefreshTokens(
  in fixture: ApplicationFixture,
  _ change: (inout JSONValue.Object) throws -> Void
) async throws {
  try await fixture.store.change { document in
    var root = try #require(try JSONValue(parsing: document.serialized()).object)
    var tokens = try #require(root["RefreshToken"]?.object)
    try change(&tokens)
    root["RefreshToken"] = .object(tokens)
    document = try TokenCacheDocument(parsing: JSONValue.object(root).serialized())
  }
}

/// Keeps only these refresh tokens, newest first.
private func keepRefreshTokens(_ secrets: [String], in fixture: ApplicationFixture) async throws {
  try await changeRefreshTokens(in: fixture) { tokens in
    let sample = try #require(tokens.values.first?.object)
    tokens = [:]
    for (number, secret) in secrets.enumerated() {
      var token = sample
      token["secret"] = .string(secret)
      token["last_modification_time"] = .string(String(99_999_999_999 - number))
      tokens["key-\(number)"] = .object(token)
    }
  }
}
