@testable import DemoProvider
import MSAuthCache
import TestSupport
import Testing

@testable import MSAuth

@Suite("bound tokens (DPoP, RFC 9449)", .limitedConcurrency)
struct BoundTokenTests {
  /// The keys of the requests' proofs.
  private func keys(_ record: [RecordedRequest]) -> [JSONValue] { record.compactMap { ProofText($0.dpopProof)?.key } }

  @Test("a token endpoint that always requires a nonce gets two requests with the code, and nothing is stored")
  func nonceLoop() async throws {
    let fixture = try await ApplicationFixture([.dpopNonceLoop]) { $0.usesDPoP = true }
    let error = try await failure { try await fixture.signIn() }
    #expect(error.code == .invalidResponse && error.reason == "dpop_nonce_loop" && error.hint != nil)
    let requests = await fixture.requests(for: "/oidc/token")
    #expect(requests.map(\.status) == [400, 400])
    #expect(requests[0]["code"] != nil && requests[0]["code"] == requests[1]["code"])
    #expect(requests.map { ProofText($0.dpopProof)?.nonce != nil } == [false, true])
    #expect(await fixture.storeIsEmpty)
    #expect(await fixture.uses() == 0)
  }

  @Test("a resource that always requires a nonce gets two requests, and is named in the error")
  func resourceLoop() async throws {
    let fixture = try await ApplicationFixture { $0.usesDPoP = true }
    let token = try await fixture.signIn()
    await fixture.provider.set(faults: [.dpopNonceLoop])
    let url = fixture.provider.graphURL + "/v1.0/me"
    let error = try await failure { try await fixture.application.get(url, with: token) }
    #expect(error.reason == "dpop_nonce_loop" && error.message.contains(fixture.provider.graphURL))
    #expect(await fixture.requests(for: "/v1.0/me").map(\.status) == [401, 401])
  }

  @Test("refreshes and later sign-ins use one key per client and issuer, and the last sign-out removes it")
  func keyLife() async throws {
    let fixture = try await ApplicationFixture { $0.usesDPoP = true }
    func keyIDs() async throws -> [String] { try await fixture.bindingKeys.map(\.keyID) }
    let first = try await fixture.signIn()
    let key = try await keyIDs()
    #expect(key.count == 1 && first.tokenType == "DPoP" && first.authorizationHeader.hasPrefix("DPoP "))
    #expect(try await fixture.use(fixture.renew(first.account)) == [200, 200])
    #expect(try await fixture.use(fixture.renew(first.account, force: false)) == [200, 200])
    _ = try await fixture.signIn()
    #expect(try await keyIDs() == key)
    let used = keys(await fixture.provider.record)
    #expect(used.count >= 7 && used.allSatisfy { $0 == used[0] })

    let report = try await fixture.application.signOut(first.account)
    #expect(report.revocation == .revoked && report.removedTokens)
    #expect(try await keyIDs().isEmpty)
    #expect(try await !fixture.store.load().serialized().contains(Array("private_key".utf8)))
    _ = try await fixture.signIn()
    let new = try await keyIDs()
    #expect(new.count == 1 && new != key, "the new key is unrelated to the old one")
  }

  @Test("bound tokens aren't used without DPoP, nor bearer tokens with it")
  func switched() async throws {
    let fixture = try await ApplicationFixture()
    let bound = try fixture.sibling { $0.usesDPoP = true }
    let account = try await fixture.signIn().account
    let unbound = try await failure { try await bound.silent(account) }
    #expect(unbound.code == .interactionRequired && unbound.reason == "dpop_switched")
    let before = await fixture.requests(for: "/oidc/token").count

    let parameters = TokenParameters(scopes: ["User.Read"])
    let token = try await bound.signIn(with: parameters)
    #expect(token.tokenType == "DPoP")
    #expect(try await bound.silent(account).accessToken == token.accessToken)
    #expect(try await fixture.renew(account, force: false).tokenType == "Bearer", "the bearer token is still valid")
    let rejected = try await failure { try await fixture.renew(account) }
    #expect(rejected.code == .interactionRequired && rejected.reason == "dpop_switched")
    // The bound refresh token isn't sent to a provider that would reject it.
    #expect(await fixture.requests(for: "/oidc/token").count == before + 1)
    #expect(try await fixture.application.accounts().map(\.identifier) == [account.identifier])
  }

  @Test("a missing or damaged key requires a sign-in, which replaces it", arguments: ["", "AAAA", "no base64"])
  func damagedKey(_ text: String) async throws {
    let (fixture, account) = try await ApplicationFixture { $0.usesDPoP = true }.signedIn()
    var key = try #require(await fixture.bindingKeys.first)
    key.privateKey = Secret(text)
    let damaged = key
    try await fixture.store.change { $0.keep(damaged, of: fixture.provider.clientID) }

    let error = try await failure { try await fixture.renew(account, force: false) }
    #expect(error.code == .interactionRequired && error.reason == "dpop_key_missing")
    let token = try await fixture.signIn()
    #expect(try await fixture.use(token) == [200, 200])
    #expect(try await fixture.use(fixture.renew(account, force: false)) == [200, 200])
  }

  @Test("a rejected proof is explained by the wrong clock, and nothing is stored")
  func wrongClock() async throws {
    let fixture = try await ApplicationFixture { $0.usesDPoP = true }
    fixture.clock.advance(by: -3600)
    let error = try await failure { try await fixture.signIn() }
    #expect(error.code == .serverError && error.reason?.rawValue == "invalid_dpop_proof")
    let isEmpty = await fixture.storeIsEmpty
    #expect(error.hint == .checkClock && isEmpty)
  }

  @Test("device code tokens are bound too")
  func device() async throws {
    let fixture = try await ApplicationFixture { $0.usesDPoP = true }
    let walker = ScriptedBrowser()
    let parameters = TokenParameters(scopes: ["User.Read"])
    let token = try await fixture.application.signIn(with: parameters) { code in
      Task { try await walker.walk(from: code.verificationURI.absoluteString, as: "ada", userCode: code.userCode) }
    }
    #expect(token.tokenType == "DPoP")
    #expect(try await fixture.use(token) == [200, 200])
  }
}

extension ApplicationFixture {
  fileprivate func proof(for url: String, _ token: TokenResult, nonce: String? = nil) async throws -> String {
    try await application.dpopProof(method: "GET", url: #require(URL(string: url)), token: token, nonce: nonce)
  }

  fileprivate var bindingKeys: [BindingKeyEntry] {
    get async throws { try await store.load().bindingKeys(of: provider.clientID, for: provider.oidcIssuer) }
  }
}

@Suite("DPoP proofs for the application's own requests", .limitedConcurrency)
struct OwnProofTests {
  @Test("a proof covers the application's request, the token and the newest nonce, which must be valid")
  func ownRequest() async throws {
    let fixture = try await ApplicationFixture { $0.usesDPoP = true }
    let token = try await fixture.signIn()
    await fixture.provider.set(faults: [.dpopNonceDemanded])
    let url = fixture.provider.graphURL + "/v1.0/me?$select=displayName"
    func send(nonce: String?) async throws -> WebResponse {
      let proof = try await fixture.proof(for: url, token, nonce: nonce)
      let headers = [(name: "Authorization", value: token.authorizationHeader), (name: "DPoP", value: proof)]
      return try await WebClient.send("GET", url, headers: headers)
    }
    let first = try await send(nonce: nil)
    #expect(first.status == 401)
    #expect(try await send(nonce: first.header("dpop-nonce")).status == 200)
    // The nonce is the default for later proofs; the provider accepts it once.
    let again = ProofText(try await fixture.proof(for: url, token))
    #expect(again?.nonce == first.header("dpop-nonce"))
    #expect(try await failure { try await send(nonce: "a b") }.code == .invalidParameter)
  }

  @Test("a proof for a bearer token is an error")
  func bearer() async throws {
    let fixture = try await ApplicationFixture()
    let token = try await fixture.signIn()
    let error = try await failure { try await fixture.proof(for: "https://api.example/", token) }
    let hint: Hint = "turn on \(setting: "dpop", or: "DPoP") and sign in again, or send the token without a proof"
    #expect(error.reason == "token_not_bound" && error.hint == hint)
    #expect(await fixture.provider.record.allSatisfy { $0.dpopProof == nil && $0["dpop_jkt"] == nil })
  }
}
