import MSAuthCore
import MSAuthJOSE
@testable import MSAuthOAuth
import Testing

@Suite("refreshed ID tokens")
struct RefreshedIDTokenTests {
  enum Outcome: Sendable, Equatable {
    case accepted
    case dropped(TokenRejection.Rule)
    case refused(TokenRejection.Rule)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let outcome: Outcome
    var before: @Sendable (inout JSONValue.Object) -> Void = { _ in }
    var claims: @Sendable (inout JSONValue.Object) -> Void = { _ in }

    /// A change to a claim of the refreshed token; `nil` removes it.
    init(_ claim: String, _ value: JSONValue?, _ outcome: Outcome) {
      testDescription =
        "\(claim) \(value.map { String(decoding: $0.serialized().prefix(40), as: UTF8.self) } ?? "absent")"
      self.outcome = outcome
      claims = { $0[claim] = value }
    }

    /// A change to a claim of the previous token.
    init(_ claim: String, before: JSONValue?, after: JSONValue?, _ outcome: Outcome) {
      self.init(claim, after, outcome)
      self.before = { $0[claim] = before }
    }
  }

  private static let now = SampleSignIn.now
  /// When the previous token was issued.
  private static let issued = IDTokenClaims(SampleSignIn.claims()).issuedAt ?? 0
  private static let (issuer, client) = (JSONValue.string(SampleSignIn.issuer), JSONValue.string(SampleSignIn.client))
  private static let tolerance = IDTokenRules.defaultClockTolerance
  private static func time(_ time: Int64) -> JSONValue { .number(JSONValue.Number(time)) }

  static let who: [Case] = [
    Case("sub", "subject-2", .refused(.refreshedSubjectChanged)),
    Case("sub", "Subject-1", .refused(.refreshedSubjectChanged)),
    Case("sub", nil, .refused(.claimMissing)),
    Case("sub", 7, .refused(.claimMalformed)),
    Case("iss", "https://login.example/other", .refused(.issuerMismatch)),
    Case("iss", nil, .refused(.claimMissing)),
    Case("iss", before: "https://login.example/other", after: issuer, .refused(.refreshedIssuerChanged)),
    Case("aud", "another", .refused(.audienceMismatch)),
    Case("aud", nil, .refused(.claimMissing)),
    Case("aud", ["another", client], .refused(.audienceUntrusted)),
    Case("aud", before: ["another", client], after: client, .refused(.refreshedAudienceChanged)),
    Case("azp", "another", .refused(.authorizedPartyMismatch)),
    Case("azp", client, .accepted),
    Case("azp", before: client, after: nil, .accepted),
    Case("oid", before: "ada", after: "bob", .refused(.refreshedSubjectChanged)),
    Case("oid", before: "ada", after: nil, .accepted),
    Case("oid", "ada", .accepted),
    Case("oid", before: "ada", after: 5, .accepted),
    Case("tid", before: "one", after: "two", .refused(.refreshedIssuerChanged)),
    Case("tid", before: "one", after: nil, .accepted),
    Case("tid", before: "one", after: 5, .accepted),
    Case("azp", 5, .refused(.claimMalformed)),
  ]

  static let whenAndHow: [Case] = [
    Case("name", "A new name", .accepted),
    Case("name", .invalidString([0xD800]), .accepted),
    Case("preferred_username", 5, .accepted),
    Case("nonce", nil, .accepted),
    Case("nonce", before: nil, after: "unasked", .accepted),
    Case("nonce", "another", .dropped(.refreshedNonceChanged)),
    Case("nonce", 7, .dropped(.claimMalformed)),
    Case("auth_time", nil, .accepted),
    Case("auth_time", time(now), .accepted),
    Case("auth_time", time(now - 86_400), .accepted),
    Case("auth_time", before: nil, after: time(now), .accepted),
    Case("auth_time", "now", .accepted),
    Case("acr", before: "1", after: "2", .accepted),
    Case("amr", before: ["pwd"], after: ["mfa"], .accepted),
    Case("iat", time(now), .accepted),
    Case("iat", time(issued - tolerance), .accepted),
    Case("iat", time(issued - tolerance - 1), .dropped(.refreshedIssuedEarlier)),
    Case("iat", time(.min), .dropped(.refreshedIssuedEarlier)),
    Case("iat", time(now + tolerance + 1), .dropped(.issuedInFuture)),
    Case("iat", nil, .dropped(.claimMissing)),
    Case("exp", 5, .dropped(.expired)),
    Case("exp", nil, .dropped(.claimMissing)),
    Case("exp", "1700003600", .dropped(.claimMalformed)),
    Case("nbf", time(now + tolerance + 1), .dropped(.notYetValid)),
    Case("at_hash", nil, .accepted),
    Case("at_hash", "AAAA", .dropped(.accessTokenMismatch)),
    Case("at_hash", 5, .dropped(.claimMalformed)),
  ]

  @Test(
    "a different subject or client is rejected; different times or methods are accepted (12.2)",
    arguments: who + whenAndHow
  )
  func rules(of a: Case) throws {
    let signer = try SampleSignIn.signer()
    var (before, claims) = (SampleSignIn.claims(), SampleSignIn.claims())
    a.before(&before)
    a.claims(&claims)
    #expect(try outcome(signer.token(claims), after: before, keys: SampleSignIn.keySet(signer.jwk())) == a.outcome)
  }

  @Test("an unverifiable token is ignored unless it names another user")
  func unverifiable() throws {
    let signer = try SampleSignIn.signer()
    let otherKeys = try SampleSignIn.keySet(SampleSignIn.signer(keyID: "key-2").jwk())
    var claims = SampleSignIn.claims()
    #expect(try outcome(signer.token(claims), after: claims, keys: otherKeys) == .dropped(.keyUnknown))
    let before = claims
    claims["sub"] = "subject-2"
    #expect(try outcome(signer.token(claims), after: before, keys: otherKeys) == .refused(.refreshedSubjectChanged))
    #expect(try outcome(Secret("no.token"), after: before, keys: otherKeys) == .dropped(.malformed))
  }

  @Test("without a stored ID token, nothing is compared")
  func nothingBefore() throws {
    let signer = try SampleSignIn.signer()
    let keys = try SampleSignIn.keySet(signer.jwk())
    let known: JSONValue.Object = ["preferred_username": "ada@example.com", "tid": "home"]
    #expect(try outcome(signer.token(SampleSignIn.claims()), after: known, keys: keys) == .accepted)
  }

  private func outcome(_ jwt: Secret, after original: JSONValue.Object, keys: JSONWebKeySet) throws -> Outcome {
    do throws(TokenRejection) {
      let found = try IDToken.validateRefreshed(
        jwt,
        after: IDTokenClaims(original),
        keys: keys,
        rules: SampleSignIn.rules { $0.nonce = nil }
      )
      return switch found {
      case .accepted: .accepted
      case .dropped(let error): .dropped(error.rule)
      }
    } catch {
      return .refused(error.rule)
    }
  }
}
