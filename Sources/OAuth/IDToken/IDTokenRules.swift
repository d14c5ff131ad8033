package import LibCrypto
package import Core

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
  ///
  /// - Parameters:
  ///   - issuer: Who must have issued the token.
  ///   - clientID: Whom it must be for.
  ///   - nonce: The nonce of the request, or nil when none was sent; then the token must have none.
  ///   - now: The time, in Unix seconds.
  ///   - clockTolerance: Seconds by which clocks may differ.
  ///   - maxAge: The request's `max_age` in seconds, or nil when it was not asked for.
  ///   - accessToken: The access token of the same response, if any.
  ///   - algorithms: The signature algorithms accepted.
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
  ///
  /// - Parameter names: The metadata's `id_token_signing_alg_values_supported`; nil when it has none.
  /// - Returns: Those of the names that are supported here; all when there are no names.
  package static func algorithms(advertised names: [String]?) -> Set<SignatureAlgorithm> {
    guard let names else { return Set(SignatureAlgorithm.allCases) }
    return Set(names.compactMap(SignatureAlgorithm.init(name:)))
  }
}

extension IssuerRule {
  /// The issuer that a token with those claims must name.
  func expected(for claims: IDTokenClaims) throws(IDTokenError) -> String {
    if let issuer = expectedIssuer(tenantID: claims.tenantID) { return issuer }
    guard let tenant = claims.tenantID else { throw .missing("tid") }
    throw .malformed("tid", "is not a tenant's identifier: \(tenant.quoted)")
  }
}
