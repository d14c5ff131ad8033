import MSAuthCore
import MSAuthJOSE
@testable import MSAuthOAuth
import Testing

@Suite("refreshed ID tokens")
struct RefreshedIDTokenTests {
  enum Outcome: Sendable, Equatable {
    case accepted
    case dropped(TokenRejection.Rule)
    case rejected(TokenRejection.Rule)
  }

  private static let now = SampleSignIn.now
  /// When the previous token was issued.
  private static let issued = IDTokenClaims(SampleSignIn.claims()).issuedAt ?? 0
  private static let (issuer, client) = (JSONValue.string(SampleSignIn.issuer), JSONValue.string(SampleSignIn.client))
  private static let tolerance = IDTokenRules.defaultClockTolerance
  private static func time(_ time: Int64) -> JSONValue { .number(JSONValue.Number(time)) }

  /// Values of a claim in the refreshed token; `nil` removes it.
  static let who: [(claim: String, outcome: Outcome, values: [JSONValue?])] = [
    ("sub", .rejected(.refreshedSubjectChanged), ["subject-2", "Subject-1"]),
    ("sub", .rejected(.claimMissing), [nil]), ("sub", .rejected(.claimMalformed), [7]),
    ("iss", .rejected(.issuerMismatch), ["https://login.example/other"]), ("iss", .rejected(.claimMissing), [nil]),
    ("aud", .rejected(.audienceMismatch), ["another"]), ("aud", .rejected(.claimMissing), [nil]),
    ("aud", .rejected(.audienceUntrusted), [["another", client]]),
    ("azp", .accepted, [client]), ("azp", .rejected(.authorizedPartyMismatch), ["another"]),
    ("azp", .rejected(.claimMalformed), [5]), ("oid", .accepted, ["ada"]),
  ]

  static let whenAndHow: [(claim: String, outcome: Outcome, values: [JSONValue?])] = [
    ("name", .accepted, ["A new name", .invalidString([0xD800])]), ("preferred_username", .accepted, [5]),
    ("nonce", .accepted, [nil]), ("nonce", .dropped(.refreshedNonceChanged), ["another"]),
    ("nonce", .dropped(.claimMalformed), [7]),
    ("auth_time", .accepted, [nil, time(now), time(now - 86_400), "now"]),
    ("iat", .accepted, [time(now), time(issued - tolerance)]),
    ("iat", .dropped(.refreshedIssuedEarlier), [time(issued - tolerance - 1), time(.min)]),
    ("iat", .dropped(.issuedInFuture), [time(now + tolerance + 1)]), ("iat", .dropped(.claimMissing), [nil]),
    ("exp", .dropped(.expired), [5]), ("exp", .dropped(.claimMissing), [nil]),
    ("exp", .dropped(.claimMalformed), ["1700003600"]),
    ("nbf", .dropped(.notYetValid), [time(now + tolerance + 1)]),
    ("at_hash", .accepted, [nil]), ("at_hash", .dropped(.accessTokenMismatch), ["AAAA"]),
    ("at_hash", .dropped(.claimMalformed), [5]),
  ]

  @Test(
    "a different subject or client is rejected; different times or methods are accepted (12.2)",
    arguments: who + whenAndHow
  )
  func rules(claim: String, outcome: Outcome, values: [JSONValue?]) throws {
    for value in values { #expect(try self.outcome { $1[claim] = value } == outcome, "\(value as Any)") }
  }

  @Test(
    "a claim is compared with the previous token's",
    arguments: [
      ("iss", "https://login.example/other", issuer, .rejected(.refreshedIssuerChanged)),
      ("aud", ["another", client], client, .rejected(.refreshedAudienceChanged)),
      ("azp", client, nil, .accepted), ("oid", "ada", "bob", .rejected(.refreshedSubjectChanged)),
      ("oid", "ada", nil, .accepted), ("oid", "ada", 5, .accepted),
      ("tid", "one", "two", .rejected(.refreshedIssuerChanged)), ("tid", "one", nil, .accepted),
      ("tid", "one", 5, .accepted), ("nonce", nil, "unasked", .accepted), ("auth_time", nil, time(now), .accepted),
      ("acr", "1", "2", .accepted), ("amr", ["pwd"], ["mfa"], .accepted),
    ] as [(String, JSONValue?, JSONValue?, Outcome)]
  )
  func compared(claim: String, before: JSONValue?, after: JSONValue?, outcome: Outcome) throws {
    #expect(try self.outcome { ($0[claim], $1[claim]) = (before, after) } == outcome)
  }

  /// The outcome of a refresh after changes to the claims of both tokens.
  private func outcome(
    _ change: (_ before: inout JSONValue.Object, _ after: inout JSONValue.Object) -> Void
  ) throws -> Outcome {
    let signer = try SampleSignIn.signer()
    var (before, claims) = (SampleSignIn.claims(), SampleSignIn.claims())
    change(&before, &claims)
    return try outcome(signer.token(claims), after: before, keys: SampleSignIn.keySet(signer.jwk()))
  }

  @Test("an unverifiable token is ignored unless it names another user")
  func unverifiable() throws {
    let signer = try SampleSignIn.signer()
    let otherKeys = try SampleSignIn.keySet(SampleSignIn.signer(keyID: "key-2").jwk())
    var claims = SampleSignIn.claims()
    #expect(try outcome(signer.token(claims), after: claims, keys: otherKeys) == .dropped(.keyUnknown))
    let before = claims
    claims["sub"] = "subject-2"
    #expect(try outcome(signer.token(claims), after: before, keys: otherKeys) == .rejected(.refreshedSubjectChanged))
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
      return .rejected(error.rule)
    }
  }
}
