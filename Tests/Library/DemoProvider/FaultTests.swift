import DemoProvider
import LibCrypto
import Core
import TestSupport
import Testing

@Suite("DemoProvider: faults")
struct FaultTests {
  /// What must be wrong with a claim, in the words of the rule that a client has to keep.
  enum Wrong: Sendable {
    case absent
    /// There, of the same type, and not what it should be.
    case other
    /// Without anybody.
    case empty
    /// The right value, in an array: no fault at all (OpenID Connect Core §2).
    case asArray
    /// The right value, beside another.
    case withAnother
    /// Before now.
    case past
  }

  static let claimCases: [(Fault, String, Wrong)] = [
    (.invalidIss, "iss", .other), (.missingIss, "iss", .absent), (.missingSub, "sub", .absent),
    (.invalidAud, "aud", .other), (.missingAud, "aud", .absent), (.invalidSecondaryAud, "aud", .withAnother),
    (.validAudAsArray, "aud", .asArray), (.emptyAud, "aud", .empty), (.missingIat, "iat", .absent),
    (.missingExp, "exp", .absent), (.invalidExpiredExp, "exp", .past), (.nonceInvalid, "nonce", .other),
    (.missingNonce, "nonce", .absent), (.invalidAtHash, "at_hash", .other),
  ]

  @Test("an ID token's claims are wrong in the way that the fault names", arguments: FaultTests.claimCases)
  func claims(_ fault: Fault, _ claim: String, _ wrong: Wrong) async throws {
    let clock = TestClock(at: 1_800_000_000)
    try await withDemo(DemoOptions(algorithm: .es256, clock: clock)) { provider in
      let client = DemoClient(provider: provider, kind: .oidc)
      let good = try #require(try LooseToken(try await client.tokens()["id_token"]?.string).claims[claim])
      await provider.set(faults: [fault])
      let token = try LooseToken(try await client.tokens()["id_token"]?.string)
      let found = token.claims[claim]
      switch wrong {
      case .absent: #expect(found == nil)
      // The access token is another one too, so its hash must not be what it would be.
      case .other where claim == "at_hash": #expect(found?.string?.count == good.string?.count && found != good)
      case .other: #expect(found?.string?.isEmpty == false && found != good)
      case .empty: #expect(found?.array == [])
      case .asArray: #expect(found?.array == [good])
      case .withAnother: #expect(found?.array?.count == 2 && found?.array?.contains(good) == true)
      case .past: #expect(try #require(found?.integer) < clock.now())
      }
      #expect(try token.verified(by: await client.json(provider.oidcIssuer + "/keys")) == [true])
    }
  }

  @Test(
    "a refreshed ID token alone is poisoned",
    arguments: [
      (.refreshTokenInvalidIssuer, "iss"), (.refreshTokenInvalidSub, "sub"),
    ] as [(Fault, String)]
  )
  func refreshed(_ fault: Fault, _ claim: String) async throws {
    try await withDemo(DemoOptions(faults: [fault], algorithm: .es256)) { provider in
      let client = DemoClient(provider: provider)
      let first = try await client.tokens()
      let second = try await client.refresh(try #require(first["refresh_token"]?.string)).json
      let (before, after) = (try LooseToken(first["id_token"]?.string), try LooseToken(second["id_token"]?.string))
      #expect(before.claims[claim] != after.claims[claim])
    }
  }

  @Test("a signature is poisoned")
  func signatures() async throws {
    try await withDemo { provider in
      let client = DemoClient(provider: provider, kind: .oidc)
      func token(_ fault: Fault) async throws -> LooseToken {
        await provider.set(faults: [fault])
        return try LooseToken(try await client.tokens()["id_token"]?.string)
      }
      func keys() async throws -> JSON { try await client.json(provider.oidcIssuer + "/keys") }

      let broken = try await token(.invalidSigRS256)
      #expect(try broken.verified(by: await keys()) == [false])
      let none = try await token(.sigNone)
      #expect(none.header["alg"] == "none" && none.signature.isEmpty)
      #expect(try await token(.invalidSigHS256).header["alg"] == "HS256")

      let single = try await token(.kidAbsentSingleJWKS)
      #expect(single.header["kid"] == nil)
      #expect(try single.verified(by: await keys()) == [true])
      let several = try await token(.kidAbsentMultipleJWKS)
      #expect(several.header["kid"] == nil)
      #expect(try several.verified(by: await keys()) == [false, true])
    }
  }

  @Test("keys rotate between sign-ins, or just before signing")
  func rotation() async throws {
    try await withDemo { provider in
      let client = DemoClient(provider: provider, kind: .oidc)
      func keys() async throws -> JSON { try await client.json(provider.oidcIssuer + "/keys") }
      for fault in [Fault.signingKeyRotation, .signingKeyRotationJustBeforeSigning] {
        await provider.set(faults: [fault])
        let code = try #require(try await client.signIn()["code"])
        let before = try await keys()
        let token = try LooseToken(try await client.redeem(code).json["id_token"]?.string)
        #expect(try token.verified(by: before) == [fault == .signingKeyRotation])
        #expect(try token.verified(by: await keys()) == [true])
        _ = try await client.tokens()
        #expect(try token.verified(by: await keys()) == [false])
      }
    }
  }

  @Test("the way back from the browser is poisoned")
  func wayBack() async throws {
    try await withDemo { provider in
      let client = DemoClient(provider: provider, kind: .oidc)
      func result(_ fault: Fault) async throws -> [String: String] {
        await provider.set(faults: [fault])
        return try await client.signIn()
      }
      let foreign = try await result(.invalidAuthorizationResponseIss)
      #expect(foreign["iss"] == "https://other.example/")
      #expect(try await result(.removeAuthorizationResponseIss)["iss"] == nil)
      #expect(try await result(.invalidState)["state"] == "another-state")
      #expect(try await result(.missingState)["state"] == nil)
      #expect(try await result(.accessDenied)["error"] == "access_denied")
    }
  }

  /// Status and a part of head or body.
  static let answers: [(Fault, Int, String)] = [
    (.tokenTypeCase, 200, "\"bEaReR\""),
    (.tokenTypeMAC, 200, "\"mac\""),
    (.tokenExpiresInText, 200, "\"expires_in\":\"3600\""),
    (.tokenExpiresInNegative, 200, "\"expires_in\":-1,"),
    (.token503RetryAfter, 503, "retry-after: 1\n"),
    (.tokenHTML, 200, "content-type: text/html"),
    (.tokenRedirect, 307, "location: https://other.example/token\n"),
    (.tokenHuge, 200, "content-length: 8388"),
    (.invalidClient, 401, "\"invalid_client\""),
    (.invalidGrant, 400, "\"invalid_grant\""),
  ]

  @Test("the token endpoint's answer is poisoned", arguments: answers)
  func tokenEndpoint(_ fault: Fault, _ status: Int, _ part: String) async throws {
    try await withDemo { provider in
      let client = DemoClient(provider: provider)
      let code = try #require(try await client.signIn()["code"])
      await provider.set(faults: [fault])
      let form = FormEncoding.encode([
        ("grant_type", "authorization_code"), ("client_id", provider.clientID), ("code", code),
        ("redirect_uri", client.redirectURI), ("code_verifier", DemoClient.verifier),
      ])
      let reply = try await WebClient.send("POST", client.endpoints.token, form: form)
      #expect(reply.status == status)
      let head = reply.headers.map { "\($0.name): \($0.value)\n" }.joined()
      #expect((head + reply.text).contains(part))
    }
  }

  @Test("a token response can be without its lifetime")
  func withoutExpiresIn() async throws {
    try await withDemo(DemoOptions(faults: [.tokenWithoutExpiresIn], algorithm: .es256)) { provider in
      let tokens = try await DemoClient(provider: provider).tokens()
      #expect(tokens["expires_in"] == nil && tokens["access_token"] != nil)
    }
  }

  @Test("metadata, userinfo, revocation and sign-out are poisoned")
  func others() async throws {
    try await withDemo { provider in
      let client = DemoClient(provider: provider, kind: .oidc)
      let tokens = try await client.tokens()
      await provider.set(faults: [
        .discoveryIssuerMismatch, .discoveryScriptEndpoint, .userinfoInvalidSub, .revocation503, .refreshInvalidGrant,
        .signOutOtherState,
      ])
      let metadata = try await client.json(client.metadataURL)
      #expect(metadata["issuer"] == "https://other.example/")
      #expect(metadata["authorization_endpoint"]?.string?.hasPrefix("javascript:") == true)
      let userinfo = try await client.get(provider.oidcIssuer + "/userinfo", bearer: tokens["access_token"]?.string)
      #expect(try JSON(parsing: userinfo.body)["sub"] == "somebody-else")
      #expect(try await client.post(provider.oidcIssuer + "/revoke", ["token": "x"]).status == 503)
      #expect(try await client.refresh(try #require(tokens["refresh_token"]?.string)).json["error"] == "invalid_grant")

      let query = FormEncoding.encode([
        ("id_token_hint", tokens["id_token"]?.string ?? ""), ("post_logout_redirect_uri", "http://127.0.0.1:9/"),
        ("state", "s"),
      ])
      func location() async throws -> String? {
        try await client.get(client.endpoints.logout + "?" + query).header("location")
      }
      #expect(try await location() == "http://127.0.0.1:9/?state=another-state")
      await provider.set(faults: [.signOutNoState])
      #expect(try await location() == "http://127.0.0.1:9/")
    }
  }
}
