package import MSAuthCore
package import MSAuthJOSE

/// Validates ID tokens (OIDC Core §2, §3.1.3.7, §12.2).
package enum IDToken {
  /// For a sign-in.
  package static func validate(
    _ jwt: Secret,
    keys: JSONWebKeySet,
    rules: IDTokenRules
  ) throws(TokenRefusal) -> IDTokenClaims {
    let token = try JSONWebSignature(parsing: jwt)
    let claims = IDTokenClaims(try CompactParts.object(token.payload, "payload"))
    try verify(token, claims, keys: keys, rules: rules)
    try rules.checkNonce(claims)
    return claims
  }

  /// Without verification: only for tokens from the store.
  package static func unverifiedClaims(_ jwt: Secret) throws(TokenRefusal) -> IDTokenClaims {
    let parts = try CompactParts(jwt)
    return IDTokenClaims(try parts.object(parts.payload, "payload"))
  }

  /// Applies all rules except the one on the nonce.
  static func verify(
    _ token: JSONWebSignature,
    _ claims: IDTokenClaims,
    keys: JSONWebKeySet,
    rules: IDTokenRules
  ) throws(TokenRefusal) {
    // The numbers are those of OIDC Core §3.1.3.7. (1) Encrypted tokens, and (8) those with HMAC or without a signature,
    // are rejected as they are read.
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

  /// RFC 8725 §3.11: an access token or a logout token, whose types end in `+jwt`, must not pass for an ID token.
  private static func checkType(of token: JSONWebSignature) throws(TokenRefusal) {
    guard let type = token.type, type.lowercased().hasSuffix("+jwt") else { return }
    throw TokenRefusal(.otherType, "the token isn't an ID token but of type \(type.quoted)")
  }
}
