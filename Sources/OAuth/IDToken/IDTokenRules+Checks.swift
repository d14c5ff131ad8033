import JOSE
import LibCrypto
import Core

/// Who signed the token, about whom, and for whom.
extension IDTokenRules {
  /// Whom the token is from, about and for.
  func checkIdentity(_ claims: IDTokenClaims) throws(TokenRefusal) {
    try checkStrings(["iss", "sub", "azp", "tid"], claims)
    if let audience = claims.all["aud"], audience.string == nil, audience.array?.count != claims.audience.count {
      throw .malformed("aud", "is neither a string nor an array of strings")
    }
    try checkIssuer(claims)
    try checkAudience(claims)
    try checkAuthorizedParty(claims)
    try checkSubject(claims)
  }

  /// A claim of the wrong type is not the same as none: a check would be left out for it.
  func checkTypes(_ claims: IDTokenClaims) throws(TokenRefusal) {
    try checkStrings(["nonce", "at_hash"], claims)
    for (name, value) in [
      ("exp", claims.expiresAt), ("iat", claims.issuedAt), ("nbf", claims.notBefore),
      ("auth_time", claims.authenticatedAt),
    ] where claims.has(name) && value == nil {
      throw .malformed(name, "is not a time in Unix seconds")
    }
  }

  private func checkStrings(_ names: [String], _ claims: IDTokenClaims) throws(TokenRefusal) {
    for name in names {
      if claims.has(name), claims.all[name]?.string == nil { throw .malformed(name, "is not a string") }
    }
  }

  /// OIDC Core 3.1.3.7 (2): the issuer is exactly the one of the metadata.
  func checkIssuer(_ claims: IDTokenClaims) throws(TokenRefusal) {
    guard let found = claims.issuer else { throw .missing("iss") }
    let expected = try issuer.expected(for: claims)
    guard found.isIdentical(to: expected) else {
      throw TokenRefusal(.issuerMismatch, "the ID token is from \(found.quoted); \(expected.quoted) was expected")
    }
  }

  /// OIDC Core 3.1.3.7 (3): this client is among those whom the token is for.
  func checkAudience(_ claims: IDTokenClaims) throws(TokenRefusal) {
    guard claims.all["aud"] != nil else { throw .missing("aud") }
    guard claims.audience.contains(where: clientID.isIdentical) else {
      let found = claims.audience.first.map { "for \($0.quoted)" } ?? "for nobody"
      throw TokenRefusal(.audienceMismatch, "the ID token is \(found); it must be for \(clientID.quoted)")
    }
  }

  /// OIDC Core 3.1.3.7 (4), (5): who asked for the token.
  ///
  /// No other audience is trusted by itself. That the provider made the token for this client, and says so, is what
  /// makes a token with several acceptable.
  func checkAuthorizedParty(_ claims: IDTokenClaims) throws(TokenRefusal) {
    guard let party = claims.authorizedParty else {
      if claims.audience.count == 1 { return }
      throw TokenRefusal(.audienceUntrusted, "the ID token is for several audiences and has no azp claim")
    }
    guard party.isIdentical(to: clientID) else {
      throw TokenRefusal(
        .authorizedPartyMismatch,
        "the ID token was issued to \(party.quoted) (azp); it must be to \(clientID.quoted)"
      )
    }
  }

  /// OIDC Core 3.1.3.7 (7): an algorithm that the provider announces.
  func checkAlgorithm(of token: JSONWebSignature) throws(TokenRefusal) {
    guard algorithms.contains(token.algorithm) else {
      let expected = algorithms.map(\.rawValue).sorted().joined(separator: ", ")
      throw TokenRefusal(
        .algorithmNotAllowed,
        "the ID token is signed with \(token.algorithm.rawValue); expected was one of: \(expected)"
      )
    }
  }

  /// OIDC Core 3.1.3.7 (6): the provider signed it.
  ///
  /// The connection's TLS is not taken in place of that.
  func checkSignature(
    of token: JSONWebSignature,
    _ claims: IDTokenClaims,
    _ keys: JSONWebKeySet
  ) throws(TokenRefusal) {
    let named = keys.candidates(keyID: token.keyID)
    guard !named.isEmpty else {
      let key = token.keyID.map { "the key \($0.quoted)" } ?? "a key"
      throw TokenRefusal(.keyUnknown, "the ID token is signed with \(key) that the provider's key set does not have")
    }
    let suitable = named.filter { $0.suits(token.algorithm) }
    guard !suitable.isEmpty else {
      let name = token.algorithm.rawValue
      guard let keyID = token.keyID else {
        throw TokenRefusal(
          .keyUnknown,
          "the provider's key set has no key for \(name), which the ID token is signed with"
        )
      }
      throw TokenRefusal(.keyUnsuitable, "the ID token is signed with \(name); its key \(keyID.quoted) is not for that")
    }
    var refusal = TokenRefusal(.signatureInvalid, "the ID token's signature does not match the provider's key")
    // One key may be listed once for each issuer that it signs for.
    for key in suitable where token.isSigned(by: key.publicKey) {
      do throws(TokenRefusal) {
        return try checkIssuer(of: key, claims)
      } catch {
        refusal = error
      }
    }
    throw refusal
  }

  /// Entra signs for all tenants with one set, in which a key may be for the tokens of one tenant alone.
  private func checkIssuer(of key: JSONWebKey, _ claims: IDTokenClaims) throws(TokenRefusal) {
    guard issuer.namesTenant, let template = key.issuer else { return }
    let signer = template.replacing(IssuerRule.placeholder, with: claims.tenantID ?? "")
    guard claims.issuer?.isIdentical(to: signer) == true else {
      throw TokenRefusal(
        .keyIssuerMismatch,
        "the ID token is from \((claims.issuer ?? "").quoted); its key signs for \(signer.quoted)"
      )
    }
  }

  /// OIDC Core §2: the subject is there, and at most 255 characters.
  func checkSubject(_ claims: IDTokenClaims) throws(TokenRefusal) {
    guard let subject = claims.subject else { throw .missing("sub") }
    guard (1...255).contains(subject.utf8.count) else {
      throw .malformed("sub", "has \(subject.utf8.count) bytes; 1 to 255 are allowed")
    }
  }
}

/// That the token is of now, of this request, and of this response.
///
/// A claimed time is only compared, never calculated with: it may be any number, and the sum could overflow.
extension IDTokenRules {
  /// OIDC Core 3.1.3.7 (9): not expired.
  func checkExpiry(_ claims: IDTokenClaims) throws(TokenRefusal) {
    guard let expiry = claims.expiresAt else { throw .missing("exp") }
    guard expiry > now - clockTolerance else {
      throw TokenRefusal(.expired, "the ID token expired \(now &- expiry) s ago by this computer's clock")
    }
  }

  /// RFC 7519 §4.1.5, and OIDC Core 3.1.3.7 (10): not from the future.
  func checkStart(_ claims: IDTokenClaims) throws(TokenRefusal) {
    if let start = claims.notBefore, start > now + clockTolerance {
      throw TokenRefusal(.notYetValid, "the ID token is valid only in \(start &- now) s by this computer's clock")
    }
    guard let issued = claims.issuedAt else { throw .missing("iat") }
    guard issued <= now + clockTolerance else {
      throw TokenRefusal(
        .issuedInFuture,
        "the ID token was issued \(issued &- now) s from now by this computer's clock"
      )
    }
  }

  /// OIDC Core 3.1.3.7 (11): the answer to this request and no other.
  ///
  /// `Secret` compares in constant time.
  func checkNonce(_ claims: IDTokenClaims) throws(TokenRefusal) {
    switch (nonce, claims.nonce) {
    case (nil, nil): return
    case (nil, let found?):
      // Some providers send an empty one where the request had none.
      if found == Secret("") { return }
      throw TokenRefusal(.nonceUnexpected, "the ID token has a nonce; none was sent")
    case (_?, nil):
      throw TokenRefusal(.nonceMissing, "the ID token has no nonce; one was sent")
    case (let sent?, let found?):
      guard sent == found else {
        throw TokenRefusal(.nonceMismatch, "the ID token has another nonce than the one that was sent")
      }
    }
  }

  /// OIDC Core 3.1.3.8: the access token of the response is the one that the token was issued with.
  func checkAccessToken(_ claims: IDTokenClaims, _ algorithm: SignatureAlgorithm) throws(TokenRefusal) {
    guard let accessToken, let found = claims.accessTokenHash else { return }
    let expected = algorithm.leftHalfHash(of: accessToken)
    guard constantTimeEqual(found.utf8, expected.utf8) else {
      throw TokenRefusal(.accessTokenMismatch, "the ID token's at_hash does not match the access token it came with")
    }
  }

  /// OIDC Core 3.1.3.7 (13): the person authenticated recently enough.
  func checkAuthenticationTime(_ claims: IDTokenClaims) throws(TokenRefusal) {
    guard let maxAge else { return }
    guard let time = claims.authenticatedAt else { throw .missing("auth_time") }
    guard time >= now - maxAge - clockTolerance else {
      throw TokenRefusal(
        .authenticationTooOld,
        "the person authenticated at \(time); at \(now) that is longer ago than the \(maxAge) seconds asked for"
      )
    }
  }
}

extension TokenRefusal {
  static func missing(_ claim: String) -> TokenRefusal {
    TokenRefusal(.claimMissing, "the ID token has no \(claim) claim")
  }

  static func malformed(_ claim: String, _ what: String) -> TokenRefusal {
    TokenRefusal(.claimMalformed, "the ID token's \(claim) claim \(what)")
  }
}
