package import MSAuthCore
package import MSAuthCrypto
import MSAuthJOSE

/// What an ID token must contain.
package struct IDTokenRules: Sendable {
  /// Seconds by which clocks may differ, as in Microsoft's libraries; a stolen token would also need the right nonce.
  static let defaultClockTolerance: Int64 = 300

  var issuer: IssuerRule
  var clientID: String
  /// The request's nonce; `nil` if none was sent.
  package var nonce: Secret?
  var now: UnixTime
  package var clockTolerance = Self.defaultClockTolerance
  /// The request's `max_age`, in seconds.
  package var maxAge: Int64?
  /// The access token of the same response, which `at_hash` must match.
  package var accessToken: Secret?
  package var algorithms = Set(SignatureAlgorithm.allCases)

  package init(issuer: IssuerRule, clientID: String, nonce: Secret? = nil, now: UnixTime) {
    self.issuer = issuer
    self.clientID = clientID
    self.nonce = nonce
    self.now = now
  }

  package static func algorithms(advertised names: [String]) -> Set<SignatureAlgorithm> {
    Set(names.compactMap(SignatureAlgorithm.init(name:)))
  }
}

/// The signer, the user and the audience.
extension IDTokenRules {
  func checkIdentity(_ claims: IDTokenClaims) throws(TokenRejection) {
    try checkStrings(["iss", "sub", "azp"], claims)
    if claims.has("aud"), claims.all["aud"]?.string == nil, claims.all["aud"]?.array?.count != claims.audience.count {
      throw .malformed("aud", "is neither a string nor an array of strings")
    }
    try checkIssuer(claims)
    try checkAudience(claims)
    try checkAuthorizedParty(claims)
    try checkSubject(claims)
  }

  /// A claim of the wrong type isn't the same as none: its check would be skipped.
  func checkTypes(_ claims: IDTokenClaims) throws(TokenRejection) {
    try checkStrings(["nonce", "at_hash"], claims)
    for (name, value) in [("exp", claims.expiresAt), ("iat", claims.issuedAt), ("nbf", claims.notBefore)]
    where claims.has(name) && value == nil {
      throw .malformed(name, "isn't a time in Unix seconds")
    }
  }

  private func checkStrings(_ names: [String], _ claims: IDTokenClaims) throws(TokenRejection) {
    for name in names {
      if claims.has(name), claims.all[name]?.string == nil { throw .malformed(name, "isn't a string") }
    }
  }

  /// (2): the issuer is exactly the metadata's.
  func checkIssuer(_ claims: IDTokenClaims) throws(TokenRejection) {
    guard let found = claims.issuer else { throw .missing("iss") }
    guard let expected = issuer.expectedIssuer(tenantID: claims.tenantID) else {
      guard let tenant = claims.tenantID else { throw .missing("tid") }
      throw .malformed("tid", "isn't a tenant ID: \(tenant.quoted)")
    }
    guard found.isIdentical(to: expected) else {
      throw TokenRejection(.issuerMismatch, "the ID token is from \(found.quoted); \(expected.quoted) was expected")
    }
  }

  /// (3): this client is in the audience.
  func checkAudience(_ claims: IDTokenClaims) throws(TokenRejection) {
    guard claims.has("aud") else { throw .missing("aud") }
    guard claims.audience.contains(where: clientID.isIdentical) else {
      let found = claims.audience.first.map { "for \($0.quoted)" } ?? "without an audience"
      throw TokenRejection(.audienceMismatch, "the ID token is \(found); it must be for \(clientID.quoted)")
    }
  }

  /// (4), (5): a token with several audiences must name this client as the authorized party.
  func checkAuthorizedParty(_ claims: IDTokenClaims) throws(TokenRejection) {
    guard let party = claims.authorizedParty else {
      if claims.audience.count == 1 { return }
      throw TokenRejection(.audienceUntrusted, "the ID token is for several audiences and has no azp claim")
    }
    guard party.isIdentical(to: clientID) else {
      let message = "the ID token was issued to \(party.quoted) (azp); it must be to \(clientID.quoted)"
      throw TokenRejection(.authorizedPartyMismatch, message)
    }
  }

  /// (7): an algorithm that the provider's metadata lists.
  func checkAlgorithm(of token: JSONWebSignature) throws(TokenRejection) {
    guard algorithms.contains(token.algorithm) else {
      let expected = algorithms.map(\.rawValue).sorted().joined(separator: ", ")
      let message = "the ID token is signed with \(token.algorithm.rawValue); expected one of: \(expected)"
      throw TokenRejection(.algorithmNotAllowed, message)
    }
  }

  /// (6): the provider signed it; TLS doesn't replace that.
  func checkSignature(
    of token: JSONWebSignature,
    _ claims: IDTokenClaims,
    _ keys: JSONWebKeySet
  ) throws(TokenRejection) {
    let named = keys.candidates(keyID: token.keyID)
    guard !named.isEmpty else {
      let key = token.keyID.map { "the key \($0.quoted)" } ?? "a key"
      throw TokenRejection(.keyUnknown, "the ID token is signed with \(key) that the provider's key set doesn't have")
    }
    let suitable = named.filter { $0.suits(token.algorithm) }
    guard !suitable.isEmpty else {
      let name = token.algorithm.rawValue
      guard let keyID = token.keyID else {
        throw TokenRejection(.keyUnknown, "the provider's key set has no key for \(name), the ID token's algorithm")
      }
      throw TokenRejection(.keyUnsuitable, "the ID token is signed with \(name); its key \(keyID.quoted) isn't for it")
    }
    var rejection = TokenRejection(.signatureInvalid, "the ID token's signature doesn't match the provider's key")
    // A key may be listed once per issuer that it signs for.
    for key in suitable where token.isSigned(by: key.publicKey) {
      do throws(TokenRejection) {
        return try checkIssuer(of: key, claims)
      } catch {
        rejection = error
      }
    }
    throw rejection
  }

  /// A key in Entra's set for all tenants may be for the tokens of one tenant only.
  private func checkIssuer(of key: JSONWebKey, _ claims: IDTokenClaims) throws(TokenRejection) {
    guard issuer.namesTenant, let template = key.issuer else { return }
    let signer = template.replacing(IssuerRule.placeholder, with: claims.tenantID ?? "")
    guard claims.issuer?.isIdentical(to: signer) == true else {
      let message = "the ID token is from \((claims.issuer ?? "").quoted); its key signs for \(signer.quoted)"
      throw TokenRejection(.keyIssuerMismatch, message)
    }
  }

  /// OpenID Connect Core §2: at most 255 characters.
  func checkSubject(_ claims: IDTokenClaims) throws(TokenRejection) {
    guard let subject = claims.subject else { throw .missing("sub") }
    guard (1...255).contains(subject.utf8.count) else {
      throw .malformed("sub", "has \(subject.utf8.count) bytes; 1 to 255 are allowed")
    }
  }
}

/// The time, the request and the response.
extension IDTokenRules {
  /// (9): not expired.
  func checkExpiry(_ claims: IDTokenClaims) throws(TokenRejection) {
    guard let expiry = claims.expiresAt else { throw .missing("exp") }
    guard expiry > now - clockTolerance else {
      let age = Duration.seconds(now - expiry).roundedWords
      throw TokenRejection(.expired, "the ID token expired \(age) ago by this computer's clock")
    }
  }

  /// (10) and RFC 7519 §4.1.5: not from the future.
  func checkStart(_ claims: IDTokenClaims) throws(TokenRejection) {
    if let start = claims.notBefore, start > now + clockTolerance {
      let wait = Duration.seconds(start - now).roundedWords
      throw TokenRejection(.notYetValid, "the ID token becomes valid in \(wait) by this computer's clock")
    }
    guard let issued = claims.issuedAt else { throw .missing("iat") }
    guard issued <= now + clockTolerance else {
      let lead = Duration.seconds(issued - now).roundedWords
      throw TokenRejection(.issuedInFuture, "the ID token was issued \(lead) in the future")
    }
  }

  /// (11): the response to this request; `Secret` compares in constant time.
  func checkNonce(_ claims: IDTokenClaims) throws(TokenRejection) {
    switch (nonce, claims.nonce) {
    case (nil, nil): return
    case (nil, let found?):
      // Some providers send an empty one if the request had none.
      if found == Secret("") { return }
      throw TokenRejection(.nonceUnexpected, "the ID token has a nonce; none was sent")
    case (_?, nil):
      throw TokenRejection(.nonceMissing, "the ID token has no nonce; one was sent")
    case (let sent?, let found?):
      guard sent == found else {
        throw TokenRejection(.nonceMismatch, "the ID token has a different nonce than the request")
      }
    }
  }

  /// §3.1.3.8: the access token was issued with this ID token.
  func checkAccessToken(_ claims: IDTokenClaims, _ algorithm: SignatureAlgorithm) throws(TokenRejection) {
    guard let accessToken, let found = claims.accessTokenHash else { return }
    let expected = algorithm.leftHalfHash(of: accessToken)
    guard constantTimeEqual(found.utf8, expected.utf8) else {
      throw TokenRejection(.accessTokenMismatch, "the ID token's at_hash doesn't match the access token it came with")
    }
  }

  /// (13): the user authenticated recently enough.
  func checkAuthenticationTime(_ claims: IDTokenClaims) throws(TokenRejection) {
    guard let maxAge else { return }
    guard let time = claims.authenticatedAt else { throw .missing("auth_time") }
    guard time >= now - maxAge - clockTolerance else {
      throw TokenRejection(
        .authenticationTooOld,
        "the user authenticated longer ago than the requested maximum of \(Duration.seconds(maxAge).words) (auth_time)"
      )
    }
  }
}

extension TokenRejection {
  static func missing(_ claim: String) -> TokenRejection {
    TokenRejection(.claimMissing, "the ID token has no \(claim) claim")
  }

  static func malformed(_ claim: String, _ what: String) -> TokenRejection {
    TokenRejection(.claimMalformed, "the ID token's \(claim) claim \(what)")
  }
}
