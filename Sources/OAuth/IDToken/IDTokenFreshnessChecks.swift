import JOSE
import LibCrypto
import Core

/// That the token is of now, of this request, and of this response.
///
/// A claimed time is only compared, never calculated with: it may be any number, and the sum could overflow.
extension IDTokenRules {
  /// OIDC Core 3.1.3.7 (9): not expired.
  func checkExpiry(_ claims: IDTokenClaims) throws(IDTokenError) {
    guard let expiry = claims.expiresAt else { throw .missing("exp") }
    guard expiry > now - clockTolerance else {
      throw IDTokenError(.expired, "the ID token expired \(now &- expiry) s ago by this machine's clock")
    }
  }

  /// RFC 7519 §4.1.5, and OIDC Core 3.1.3.7 (10): not from the future.
  func checkStart(_ claims: IDTokenClaims) throws(IDTokenError) {
    if let start = claims.notBefore, start > now + clockTolerance {
      throw IDTokenError(.notYetValid, "the ID token is valid only in \(start &- now) s by this machine's clock")
    }
    guard let issued = claims.issuedAt else { throw .missing("iat") }
    guard issued <= now + clockTolerance else {
      throw IDTokenError(.issuedInFuture, "the ID token was issued \(issued &- now) s from now by this machine's clock")
    }
  }

  /// OIDC Core 3.1.3.7 (11): the answer to this request and no other.
  ///
  /// `Secret` compares in constant time.
  func checkNonce(_ claims: IDTokenClaims) throws(IDTokenError) {
    switch (nonce, claims.nonce) {
    case (nil, nil): return
    case (nil, _?):
      throw IDTokenError(.nonceUnexpected, "the ID token has a nonce; none was sent")
    case (_?, nil):
      throw IDTokenError(.nonceMissing, "the ID token has no nonce; one was sent")
    case (let sent?, let found?):
      guard sent == found else {
        throw IDTokenError(.nonceMismatch, "the ID token has another nonce than the one that was sent")
      }
    }
  }

  /// OIDC Core 3.1.3.8: the access token of the response is the one that the token was issued with.
  func checkAccessToken(_ claims: IDTokenClaims, _ algorithm: SignatureAlgorithm) throws(IDTokenError) {
    guard let accessToken, let found = claims.accessTokenHash else { return }
    let expected = algorithm.leftHalfHash(of: accessToken)
    guard constantTimeEqual(found.utf8, expected.utf8) else {
      throw IDTokenError(.accessTokenMismatch, "the ID token's at_hash does not match the access token it came with")
    }
  }

  /// OIDC Core 3.1.3.7 (13): the person authenticated recently enough.
  func checkAuthenticationTime(_ claims: IDTokenClaims) throws(IDTokenError) {
    guard let maxAge else { return }
    guard let time = claims.authenticatedAt else { throw .missing("auth_time") }
    guard time >= now - maxAge - clockTolerance else {
      throw IDTokenError(
        .authenticationTooOld,
        "the person authenticated at \(time); at \(now) that is longer ago than the \(maxAge) seconds asked for"
      )
    }
  }
}
