import FoundationEssentials
import MSAuthCore
import MSAuthCrypto
@testable import MSAuthJOSE
@testable import MSAuthOAuth
import Testing

/// A valid token with one change, and the rule that it breaks.
struct Change: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let rule: TokenRejection.Rule?
  var claims: @Sendable (inout JSONValue.Object) -> Void = { _ in }
  var rules: @Sendable (inout IDTokenRules) -> Void = { _ in }

  /// A change to a claim.
  init(_ claim: String, _ value: JSONValue, _ rule: TokenRejection.Rule?) {
    testDescription = "\(claim) \(value.serializedString().prefix(40))"
    self.rule = rule
    claims = { $0[claim] = value }
  }

  /// A change to several claims, or to the rules.
  init(
    _ name: String,
    _ rule: TokenRejection.Rule?,
    claims: @escaping @Sendable (inout JSONValue.Object) -> Void = { _ in },
    rules: @escaping @Sendable (inout IDTokenRules) -> Void = { _ in }
  ) {
    testDescription = name
    self.rule = rule
    self.claims = claims
    self.rules = rules
  }
}

private func time(_ offset: Int64) -> JSONValue { .init(integerLiteral: SampleSignIn.now + offset) }

@Suite("ID token rules")
struct IDTokenTests {
  private static let client = JSONValue.string(SampleSignIn.client)
  private static let (earliest, latest) = (JSONValue(integerLiteral: .min), JSONValue(integerLiteral: .max))

  private static let values: [(claim: String, rule: TokenRejection.Rule?, values: [JSONValue])] = [
    (
      "iss", .issuerMismatch,
      [
        "https://login.example/other", "https://login.example/tenant/", "https://LOGIN.example/tenant",
        "http://login.example/tenant", "https://login.example:443/tenant",
      ]
    ),
    ("aud", nil, [[client]]), ("aud", .audienceMismatch, [[], "another", "CLIENT-OF-OURS", ["another"]]),
    ("aud", .audienceUntrusted, [[client, "another"], [client, client]]),
    ("aud", .claimMalformed, [[client, 5]]),
    ("azp", nil, [client]), ("azp", .authorizedPartyMismatch, ["another"]), ("azp", .claimMalformed, [[client]]),
    ("sub", nil, [.string(String(repeating: "s", count: 255))]),
    ("sub", .claimMalformed, [.string(String(repeating: "s", count: 256))]),
    ("exp", nil, [time(0), time(-299), latest, 1_700_003_600.5]), ("exp", .claimMalformed, ["1700003600"]),
    ("exp", .expired, [time(-300), 0, earliest, 1_699_999_699.9]),
    ("iat", nil, [time(300), earliest]), ("iat", .issuedInFuture, [time(301), latest]),
    ("nbf", nil, [time(300)]), ("nbf", .notYetValid, [time(301), latest]),
    ("nonce", .nonceMismatch, ["another"]),
    ("at_hash", .accessTokenMismatch, ["AAAAAAAAAAAAAAAAAAAAAA"]),
  ]

  private static let others: [Change] = [
    Change("nothing", .none),
    Change("several audiences, issued to this client", nil) {
      ($0["aud"], $0["azp"]) = (["another", client], client)
    },
    Change("several audiences, issued to another", .authorizedPartyMismatch) {
      ($0["aud"], $0["azp"]) = (["another", client], "another")
    },
    // Equal as Swift strings, but different code points.
    Change("an issuer that only looks the same", .issuerMismatch) {
      $0["iss"] = "https://login.example/e\u{301}"
    } rules: {
      $0.issuer = .exact("https://login.example/\u{e9}")
    },
    Change("an audience that only looks the same", .audienceMismatch) {
      $0["aud"] = "e\u{301}"
    } rules: {
      $0.clientID = "\u{e9}"
    },
    Change("a nonce though none was sent", .nonceUnexpected, rules: { $0.nonce = nil }),
    Change("no nonce, and none was sent", nil, claims: { $0["nonce"] = nil }, rules: { $0.nonce = nil }),
    Change("an empty nonce, and none was sent", nil, claims: { $0["nonce"] = "" }, rules: { $0.nonce = nil }),
    Change("a null nonce, and none was sent", nil, claims: { $0["nonce"] = .null }, rules: { $0.nonce = nil }),
    Change("another access token", .accessTokenMismatch, rules: { $0.accessToken = Secret("another") }),
    Change("no access token to compare with", nil, rules: { $0.accessToken = nil }),
    Change("auth_time within max_age", nil, rules: { $0.maxAge = 60 }),
    Change("auth_time before max_age and tolerance", .authenticationTooOld) {
      $0["auth_time"] = time(-361)
    } rules: {
      $0.maxAge = 60
    },
    Change("the earliest auth_time", .authenticationTooOld) {
      $0["auth_time"] = earliest
    } rules: {
      $0.maxAge = 0
    },
    Change("no auth_time despite max_age", .claimMissing, claims: { $0["auth_time"] = nil }, rules: { $0.maxAge = 60 }),
    Change("an auth_time without a time despite max_age", .claimMissing) {
      $0["auth_time"] = "now"
    } rules: {
      $0.maxAge = 60
    },
    Change("no tolerance for clocks", .expired, claims: { $0["exp"] = time(0) }, rules: { $0.clockTolerance = 0 }),
  ]

  static let changes = others + values.flatMap { row in row.values.map { Change(row.claim, $0, row.rule) } }

  @Test("one broken rule rejects the token", arguments: changes)
  func oneChange(change: Change) throws {
    let signer = try SampleSignIn.signer()
    var claims = SampleSignIn.claims()
    change.claims(&claims)
    let rejection = SampleSignIn.rejection(
      of: try signer.token(claims),
      keys: try SampleSignIn.keySet(signer.jwk()),
      rules: SampleSignIn.rules(change.rules)
    )
    #expect(rejection == change.rule)
  }

  @Test("every algorithm signs the token, and hashes the access token", arguments: SignatureAlgorithm.allCases)
  func algorithms(algorithm: SignatureAlgorithm) throws {
    let signer = try SampleSignIn.signer(algorithm)
    let (token, keys) = (try signer.token(SampleSignIn.claims(algorithm)), try SampleSignIn.keySet(signer.jwk()))
    #expect(SampleSignIn.rejection(of: token, keys: keys) == nil)
    let rules = SampleSignIn.rules { $0.accessToken = Secret("another") }
    #expect(SampleSignIn.rejection(of: token, keys: keys, rules: rules) == .accessTokenMismatch)
  }

  @Test("a payload that isn't an object is rejected", arguments: ["", "null", "[]", "5", #""text""#, "{", "\u{1}"])
  func payload(text: String) throws {
    let signer = try SampleSignIn.signer()
    let token = try signer.token(headerText: Array(#"{"alg":"ES256"}"#.utf8), payloadText: Array(text.utf8))
    #expect(SampleSignIn.rejection(of: token, keys: try SampleSignIn.keySet(signer.jwk())) == .malformed)
  }

  static let types: [(type: JSONValue, rule: TokenRejection.Rule?)] = [
    ("JWT", nil), ("jwt", nil), (.null, nil), ("at+jwt", .otherType), ("application/at+jwt", .otherType),
    ("AT+JWT", .otherType), ("logout+jwt", .otherType), ("dpop+jwt", .otherType), ("secevent+jwt", .otherType),
  ]

  @Test("a token of another type is rejected although the provider signed it", arguments: types)
  func type(type: JSONValue, rule: TokenRejection.Rule?) throws {
    let signer = try SampleSignIn.signer()
    let token = try signer.token(SampleSignIn.claims(), header: ["typ": type])
    #expect(SampleSignIn.rejection(of: token, keys: try SampleSignIn.keySet(signer.jwk())) == rule)
  }
}

@Suite("ID token errors")
struct IDTokenErrorTests {
  @Test("messages have the expected and the actual value, never a secret")
  func messages() throws {
    let signer = try SampleSignIn.signer()
    let keys = try SampleSignIn.keySet(signer.jwk())
    func error(_ claim: String, _ value: JSONValue) throws -> TokenRejection {
      var claims = SampleSignIn.claims()
      claims[claim] = value
      return try #require(throws: TokenRejection.self) {
        try IDToken.validate(signer.token(claims), keys: keys, rules: SampleSignIn.rules())
      }
    }
    let issuer = try error("iss", "https://evil.example/\u{1b}[31m")
    #expect(issuer.message.contains(SampleSignIn.issuer) && issuer.rule == .issuerMismatch)
    #expect(issuer.message.contains("\"https://evil.example/[31m\""))
    let nonce = try error("nonce", "found-nonce").message
    #expect(!nonce.contains("found-nonce") && !nonce.contains(SampleSignIn.nonce.revealed))
  }

  /// The codes are public: `--json` prints them.
  static let codes: Set<String> = [
    "id_token_access_token_mismatch", "id_token_algorithm_not_allowed", "id_token_algorithm_unsupported",
    "id_token_audience_mismatch", "id_token_audience_untrusted", "id_token_authentication_too_old",
    "id_token_authorized_party_mismatch", "id_token_claim_malformed", "id_token_claim_missing",
    "id_token_critical_header", "id_token_duplicate_member", "id_token_encrypted", "id_token_expired",
    "id_token_issued_in_future", "id_token_issuer_mismatch", "id_token_key_issuer_mismatch", "id_token_key_unknown",
    "id_token_key_unsuitable", "id_token_malformed", "id_token_nonce_mismatch", "id_token_nonce_missing",
    "id_token_nonce_unexpected", "id_token_not_yet_valid", "id_token_other_type",
    "id_token_refreshed_audience_changed", "id_token_refreshed_issued_earlier", "id_token_refreshed_issuer_changed",
    "id_token_refreshed_nonce_changed", "id_token_refreshed_subject_changed",
    "id_token_signature_invalid", "id_token_symmetric_algorithm", "id_token_too_large", "id_token_unsigned",
    "key_set_malformed", "key_set_too_large",
  ]

  @Test("the codes are stable")
  func codes() {
    #expect(Set(TokenRejection.Rule.allCases.map(\.rawValue)) == Self.codes)
  }
}
