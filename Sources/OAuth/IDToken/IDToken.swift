package import JOSE
package import LibCrypto
package import Core

/// ID tokens: from text to claims that can be believed (OIDC Core §2, §3.1.3.7, §12.2).
package enum IDToken {
  /// Validates the token of a sign-in.
  package static func validate(
    _ jwt: Secret,
    keys: JSONWebKeySet,
    rules: IDTokenRules
  ) throws(TokenRefusal) -> IDTokenClaims {
    let (token, claims) = try read(jwt)
    try verify(token, claims, keys: keys, rules: rules)
    try rules.checkNonce(claims)
    return claims
  }

  /// Reads the claims of a token without verifying anything: only for tokens from one's own store.
  package static func unverifiedClaims(_ jwt: Secret) throws(TokenRefusal) -> IDTokenClaims {
    let parts = try CompactParts(jwt)
    return IDTokenClaims(try parts.object(parts.payload, "payload"))
  }

  /// Applies all rules but the one on the nonce.
  static func verify(
    _ token: JSONWebSignature,
    _ claims: IDTokenClaims,
    keys: JSONWebKeySet,
    rules: IDTokenRules
  ) throws(TokenRefusal) {
    // OIDC Core 3.1.3.7, whose numbers stand in brackets. (1) Encrypted tokens, and (8) those with HMAC or without a
    // signature, are refused as they are read.
    try checkType(of: token)
    try rules.checkTypes(claims)
    try rules.checkIdentity(claims)  // (2) to (5), and §2 on the subject
    try rules.checkAlgorithm(of: token)  // (7), before the signature that depends on it
    try rules.checkSignature(of: token, claims, keys)  // (6)
    try rules.checkExpiry(claims)  // (9)
    try rules.checkStart(claims)  // (10)
    try rules.checkAccessToken(claims, token.algorithm)  // §3.1.3.8
    try rules.checkAuthenticationTime(claims)  // (13)
  }

  private static func read(_ jwt: Secret) throws(TokenRefusal) -> (JSONWebSignature, IDTokenClaims) {
    let token = try JSONWebSignature(parsing: jwt)
    return (token, IDTokenClaims(try CompactParts.object(token.payload, "payload")))
  }

  /// RFC 8725 §3.11: an access token or a logout token by the same keys must not pass for an ID token.
  ///
  /// ID tokens have the type `JWT` or none; all types that name another use end in `+jwt`.
  private static func checkType(of token: JSONWebSignature) throws(TokenRefusal) {
    guard let type = token.type, type.lowercased().hasSuffix("+jwt") else { return }
    throw TokenRefusal(.otherType, "the token is not an ID token but of type \(type.quoted)")
  }
}

/// What an ID token must say to be accepted.
package struct IDTokenRules: Sendable {
  /// How far the provider's clock and this machine's may be apart, in seconds.
  ///
  /// Five minutes is what Microsoft's own libraries allow. A laptop's clock after a long sleep is off by less, and a stolen
  /// token is no more useful for it: it also has to bear this sign-in's nonce.
  package static let usualClockTolerance: Int64 = 300

  /// Who must have issued the token.
  package var issuer: IssuerRule
  package var clientID: String
  /// The nonce of the request; nil when none was sent.
  package var nonce: Secret?
  package var now: UnixTime
  /// Seconds by which clocks may differ.
  package var clockTolerance: Int64
  /// The request's `max_age`: seconds since the person authenticated; nil when it was not asked for.
  package var maxAge: Int64?
  /// The access token of the same response, which an `at_hash` must match; nil when there is none.
  package var accessToken: Secret?
  package var algorithms: Set<SignatureAlgorithm>

  /// Puts rules together.
  package init(
    issuer: IssuerRule,
    clientID: String,
    nonce: Secret?,
    now: UnixTime,
    clockTolerance: Int64 = Self.usualClockTolerance,
    maxAge: Int64? = nil,
    accessToken: Secret? = nil,
    algorithms: Set<SignatureAlgorithm> = Set(SignatureAlgorithm.allCases)
  ) {
    self.issuer = issuer
    self.clientID = clientID
    self.nonce = nonce
    self.now = now
    self.clockTolerance = clockTolerance
    self.maxAge = maxAge
    self.accessToken = accessToken
    self.algorithms = algorithms
  }

  /// The algorithms to accept from a provider.
  package static func algorithms(advertised names: [String]?) -> Set<SignatureAlgorithm> {
    guard let names else { return Set(SignatureAlgorithm.allCases) }
    return Set(names.compactMap(SignatureAlgorithm.init(name:)))
  }
}

extension IssuerRule {
  /// The issuer that a token with those claims must name.
  func expected(for claims: IDTokenClaims) throws(TokenRefusal) -> String {
    if let issuer = expectedIssuer(tenantID: claims.tenantID) { return issuer }
    guard let tenant = claims.tenantID else { throw .missing("tid") }
    throw .malformed("tid", "is not a tenant's identifier: \(tenant.quoted)")
  }
}
