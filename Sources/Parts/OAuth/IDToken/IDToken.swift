package import MSAuthCore
package import MSAuthJOSE

/// Validates ID tokens (OpenID Connect Core §2, §3.1.3.7, §12.2).
package enum IDToken {
  /// For a sign-in.
  package static func validate(
    _ jwt: Secret,
    keys: JSONWebKeySet,
    rules: IDTokenRules
  ) throws(TokenRejection) -> IDTokenClaims {
    let token = try JSONWebSignature(parsing: jwt)
    let claims = try unverifiedClaims(jwt)
    try verify(token, claims, keys: keys, rules: rules)
    try rules.checkNonce(claims)
    return claims
  }

  /// Reads the claims without verifying them, which is enough for tokens from the store.
  package static func unverifiedClaims(_ jwt: Secret) throws(TokenRejection) -> IDTokenClaims {
    IDTokenClaims(try JSONWebSignature.unverifiedPayload(of: jwt))
  }

  /// Applies all rules except the one on the nonce.
  static func verify(
    _ token: JSONWebSignature,
    _ claims: IDTokenClaims,
    keys: JSONWebKeySet,
    rules: IDTokenRules
  ) throws(TokenRejection) {
    // The numbers are those of OpenID Connect Core §3.1.3.7. (1) Encrypted tokens, and (8) those with HMAC or without a
    // signature, are rejected as they are read.
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
  private static func checkType(of token: JSONWebSignature) throws(TokenRejection) {
    guard let type = token.type, type.lowercased().hasSuffix("+jwt") else { return }
    throw TokenRejection(.otherType, "the token isn't an ID token but of type \(type.quoted)")
  }
}

/// The claims of an ID token (OpenID Connect Core §2, §5.1; Entra's ID token claims).
///
/// A typed claim is `nil` if it is missing or of another type.
package struct IDTokenClaims: Sendable, Equatable {
  /// Every claim, also unknown ones.
  package let all: JSONValue.Object

  package init(_ all: JSONValue.Object) { self.all = all }

  /// Some providers send null for an absent claim.
  func has(_ name: String) -> Bool { all[name] ?? .null != .null }

  package var issuer: String? { all["iss"]?.string }
  package var subject: String? { all["sub"]?.string }
  /// `aud`, a string or an array; empty if it is neither.
  var audience: [String] {
    if let one = all["aud"]?.string { return [one] }
    return all["aud"]?.array?.compactMap(\.string) ?? []
  }
  var authorizedParty: String? { all["azp"]?.string }
  package var expiresAt: UnixTime? { time("exp") }
  package var issuedAt: UnixTime? { time("iat") }
  var notBefore: UnixTime? { time("nbf") }
  var authenticatedAt: UnixTime? { time("auth_time") }
  var nonce: Secret? { all["nonce"]?.string.map(Secret.init) }
  var accessTokenHash: String? { all["at_hash"]?.string }

  /// Entra's tenant (`tid`).
  package var tenantID: String? { text("tid") }
  /// Entra's ID of the user (`oid`), the same in all apps of a tenant.
  package var objectID: String? { text("oid") }
  package var preferredUsername: String? { text("preferred_username") }
  package var userPrincipalName: String? { text("upn") }
  /// Azure AD B2C has `emails` instead.
  package var email: String? {
    text("email") ?? all["emails"]?.array?.compactMap(\.string).first { !$0.isEmpty }
  }
  package var name: String? { text("name") }
  /// Entra's optional claim for `logout_hint`.
  package var loginHint: String? { text("login_hint") }

  /// `preferred_username`, else `upn`, `email`.
  package var claimedUsername: String? { preferredUsername ?? userPrincipalName ?? email }

  /// The account's name: the user's, else `sub`.
  package var username: String { claimedUsername ?? subject ?? "" }

  /// An optional claim, which some providers send empty.
  private func text(_ name: String) -> String? { all[name]?.string.flatMap { $0.isEmpty ? nil : $0 } }

  /// A NumericDate (RFC 7519 §2) without the fraction.
  private func time(_ name: String) -> UnixTime? {
    all[name]?.number?.truncated.map { min(max($0, 0), lastTime) }
  }
}

extension IDTokenClaims {
  /// Reads the response of the userinfo endpoint (OpenID Connect Core §5.3).
  package init(userInfo response: EndpointResponse, about expectedSubject: String) throws(AuthenticationError) {
    self.init(try response.members(limit: 128 * 1024).json)
    // §5.3.2: "MUST be verified to exactly match […]; if they do not match, the UserInfo Response values MUST NOT be
    // used."
    guard subject?.isIdentical(to: expectedSubject) == true else { throw AuthenticationError.userInfoSubject }
  }
}
