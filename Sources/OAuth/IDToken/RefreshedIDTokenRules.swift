package import JOSE
package import Core

/// What the ID token of a refresh must have in common with the one before it (OIDC Core §12.2), and what follows if it
/// does not.
///
/// The refresh token may be used up by the time that the response is read, so that each rule is weighed against the
/// session. Rules on *who* refuse: nothing of the response is stored under the account. Rules on *when and how* never cost
/// the session: the token is accepted, or dropped as if the response had none, which §12.2 allows, and the tokens beside
/// it are kept.
///
/// | claim, or part of the token | what is wrong | outcome |
/// |---|---|---|
/// | `iss`, `sub` | missing, or another than before or than the metadata's | refused |
/// | `aud` | this client is not in it, an audience of before is missing, or there are several and no `azp` | refused |
/// | `azp` | another client | refused |
/// | `azp` | this client, where none was named before, or the other way round | accepted |
/// | `oid`, `tid` | another than before | refused |
/// | form, type, algorithm, signature, key | cannot be verified | dropped; refused if it names somebody else |
/// | `exp`, `iat`, `nbf` | expired, not yet valid or from the future by more than the tolerance, or missing | dropped |
/// | `iat` | earlier than before by more than the tolerance: an old token | dropped |
/// | `at_hash` | of another access token | dropped |
/// | `at_hash` | missing | accepted |
/// | `nonce` | another than before | dropped |
/// | `nonce` | missing, or there although none was before | accepted |
/// | `auth_time` | later or earlier than before: many providers name the latest sign-in of the browser | accepted |
/// | `acr`, `amr` and all others | anything | accepted |
///
/// An `at_hash` that does not fit is usually that of the ID token of the sign-in, which some providers send again.
package struct RefreshedIDTokenRules: Sendable {
  /// The claims of the token before it; those that are missing are not compared.
  package var original: IDTokenClaims

  /// Takes the claims to compare with, those of the same account in the same tenant.
  package init(original: IDTokenClaims) {
    self.original = original
  }

  /// Compares whom the tokens are about and for.
  package func checkIdentity(_ refreshed: IDTokenClaims) throws(TokenRefusal) {
    try same("iss", original.issuer, refreshed.issuer, "from", .refreshedIssuerChanged)
    try same("sub", original.subject, refreshed.subject, "about", .refreshedSubjectChanged)
    // "its aud Claim Value MUST include the original ID Token's aud value"
    for audience in original.audience where !refreshed.audience.contains(where: audience.isIdentical) {
      throw TokenRefusal(.refreshedAudienceChanged, "the refreshed ID token is no longer for \(audience.quoted) (aud)")
    }
    // Entra's own names for the person; without them the subject decides.
    if let object = refreshed.objectID {
      try same("oid", original.objectID, object, "about", .refreshedSubjectChanged)
    }
    if original.issuer != nil, let tenant = refreshed.tenantID {
      try same("tid", original.tenantID, tenant, "from the tenant", .refreshedIssuerChanged)
    }
  }

  /// Checks that the token may take the place of the one before it.
  package func checkSuccession(_ refreshed: IDTokenClaims) throws(TokenRefusal) {
    // "its iat Claim MUST represent the time that the new ID Token is issued", by the provider's clocks alone.
    if let before = original.issuedAt, let after = refreshed.issuedAt, after < before {
      let (gap, isHuge) = before.subtractingReportingOverflow(after)
      guard !isHuge, gap <= IDTokenRules.usualClockTolerance else {
        throw TokenRefusal(
          .refreshedIssuedEarlier,
          "the refreshed ID token was issued at \(after), before the one that it replaces, of \(before) (iat)"
        )
      }
    }
    // "if it is present, its value MUST be the same"; with none before there is nothing to compare.
    if let before = original.nonce, let after = refreshed.nonce, before != after {
      throw TokenRefusal(.refreshedNonceChanged, "the refreshed ID token has another nonce than the one before it")
    }
  }

  /// What is against §12.2 and accepted all the same, for a log.
  package func differences(of refreshed: IDTokenClaims) -> [TokenRefusal] {
    var differences: [TokenRefusal] = []
    if let before = original.authenticatedAt, let after = refreshed.authenticatedAt, before != after {
      differences.append(
        TokenRefusal(
          .refreshedAuthenticationTimeChanged,
          "the refreshed ID token says that the person authenticated at \(after); it was at \(before) (auth_time)"
        )
      )
    }
    if original.issuer != nil, original.authorizedParty != refreshed.authorizedParty {
      differences.append(
        TokenRefusal(
          .refreshedAuthorizedPartyChanged,
          "the refreshed ID token \(refreshed.authorizedParty == nil ? "no longer says" : "says") whom it was issued to (azp)"
        )
      )
    }
    return differences
  }

  private func same(
    _ name: String,
    _ before: String?,
    _ after: String?,
    _ relation: String,
    _ rule: TokenRefusal.Rule
  ) throws(TokenRefusal) {
    guard let before else { return }
    if let after, before.isIdentical(to: after) { return }
    let found = after?.quoted ?? "nobody"
    throw TokenRefusal(
      rule,
      "the refreshed ID token is \(relation) \(found) (\(name)); it was \(relation) \(before.quoted)"
    )
  }
}

extension IDToken {
  /// What the ID token of a refresh is good for.
  package enum Refreshed: Sendable {
    /// It takes the place of the one before it; the differences are worth a line in a log.
    case accepted(IDTokenClaims, differences: [TokenRefusal])
    /// It is not believed: as if the response had none.
    case dropped(TokenRefusal)
  }

  /// Validates the token of a refresh, by the rules of ``RefreshedIDTokenRules``.
  package static func validateRefreshed(
    _ jwt: Secret,
    after original: IDTokenClaims,
    keys: JSONWebKeySet,
    rules: IDTokenRules
  ) throws(TokenRefusal) -> Refreshed {
    let parts: CompactParts
    let payload: [UInt8]
    let claims: IDTokenClaims
    do throws(TokenRefusal) {
      parts = try CompactParts(jwt)
      payload = try parts.decode(parts.payload, "payload")
      claims = IDTokenClaims(try CompactParts.object(payload, "payload"))
    } catch {
      return .dropped(error)
    }
    // Who it is about counts even where the token cannot be believed.
    let comparison = RefreshedIDTokenRules(original: original)
    try rules.checkIdentity(claims)
    try comparison.checkIdentity(claims)
    do throws(TokenRefusal) {
      try verify(try JSONWebSignature(parts, payload: payload), claims, keys: keys, rules: rules)
      try comparison.checkSuccession(claims)
      return .accepted(claims, differences: comparison.differences(of: claims))
    } catch {
      return .dropped(error)
    }
  }
}
