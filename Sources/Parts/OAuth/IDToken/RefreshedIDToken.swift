package import MSAuthCore
package import MSAuthJOSE

// The refresh token may be used up, so each rule is weighed against the session. Rules on *who* reject the
// response: nothing of it is stored. Rules on *when and how* never cost the session: the token is accepted, or dropped
// as if the response had none, which §12.2 allows, and the other tokens are kept.
//
// | claim, or part of the token | what is wrong | outcome |
// |---|---|---|
// | `iss`, `sub` | missing, or differs from before or from the metadata | rejected |
// | `aud` | this client is not in it, an earlier audience is missing, or there are several and no `azp` | rejected |
// | `azp` | another client | rejected |
// | `azp` | this client, and none before, or vice versa | accepted |
// | `oid`, `tid` | differs from before | rejected |
// | form, type, algorithm, signature, key | cannot be verified | dropped; rejected if it names another user |
// | `exp`, `iat`, `nbf` | expired, not yet valid or from the future by more than the tolerance, or missing | dropped |
// | `iat` | earlier than before by more than the tolerance: an old token | dropped |
// | `at_hash` | of another access token | dropped |
// | `at_hash` | missing | accepted |
// | `nonce` | differs from before | dropped |
// | `nonce` | missing, or present although none was before | accepted |
// | `auth_time` | later or earlier than before: many providers have the browser's latest sign-in | accepted |
// | `acr`, `amr` and all others | any | accepted |
//
// An `at_hash` that doesn't match usually belongs to the ID token of the sign-in, which some providers send again.

extension IDToken {
  package enum Refreshed: Sendable {
    /// It replaces the previous token.
    case accepted(IDTokenClaims)
    /// As if the response had no ID token.
    case dropped(TokenRejection)
  }

  /// Validates the ID token of a refresh (OpenID Connect Core §12.2) against the previous one of the same account and tenant.
  package static func validateRefreshed(
    _ jwt: Secret,
    after original: IDTokenClaims,
    keys: JSONWebKeySet,
    rules: IDTokenRules
  ) throws(TokenRejection) -> Refreshed {
    let claims: IDTokenClaims
    do throws(TokenRejection) {
      claims = try unverifiedClaims(jwt)
    } catch {
      return .dropped(error)
    }
    // The identity is checked even if the signature can't be verified.
    try rules.checkIdentity(claims)
    try claims.checkIdentity(after: original)
    do throws(TokenRejection) {
      try verify(try JSONWebSignature(parsing: jwt), claims, keys: keys, rules: rules)
      try claims.checkSuccession(after: original)
      return .accepted(claims)
    } catch {
      return .dropped(error)
    }
  }
}

extension IDTokenClaims {
  fileprivate func checkIdentity(after original: IDTokenClaims) throws(TokenRejection) {
    try same("iss", original.issuer, issuer, "from", .refreshedIssuerChanged)
    try same("sub", original.subject, subject, "about", .refreshedSubjectChanged)
    // "its aud Claim Value MUST include the original ID Token's aud value"
    for audience in original.audience where !self.audience.contains(where: audience.isIdentical) {
      throw TokenRejection(.refreshedAudienceChanged, "the refreshed ID token isn't for \(audience.quoted) (aud)")
    }
    // Entra's names for the user; without them the subject decides.
    if let objectID {
      try same("oid", original.objectID, objectID, "about", .refreshedSubjectChanged)
    }
    if original.issuer != nil, let tenantID {
      try same("tid", original.tenantID, tenantID, "from the tenant", .refreshedIssuerChanged)
    }
  }

  /// Whether the token may replace the previous one.
  fileprivate func checkSuccession(after original: IDTokenClaims) throws(TokenRejection) {
    // "its iat Claim MUST represent the time that the new ID Token is issued", by the provider's clocks.
    if let before = original.issuedAt, let after = issuedAt, before - after > IDTokenRules.defaultClockTolerance {
      let message = "the refreshed ID token was issued at \(after), before the previous one at \(before) (iat)"
      throw TokenRejection(.refreshedIssuedEarlier, message)
    }
    // "if it is present, its value MUST be the same".
    if let before = original.nonce, let after = nonce, before != after {
      throw TokenRejection(.refreshedNonceChanged, "the refreshed ID token has a different nonce than the previous one")
    }
  }

  private func same(
    _ name: String,
    _ before: String?,
    _ after: String?,
    _ relation: String,
    _ rule: TokenRejection.Rule
  ) throws(TokenRejection) {
    guard let before else { return }
    if let after, before.isIdentical(to: after) { return }
    let found = after?.quoted ?? "no value"
    throw TokenRejection(rule, "the refreshed ID token is \(relation) \(found) (\(name)), not \(before.quoted)")
  }
}
