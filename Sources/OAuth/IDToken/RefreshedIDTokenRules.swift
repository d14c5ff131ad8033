import Core

/// What the ID token of a refresh must have in common with the one before it (OIDC Core §12.2).
package struct RefreshedIDTokenRules: Sendable {
  /// The claims of the token before it.
  package var original: IDTokenClaims

  /// Takes the claims to compare with, those of the same account in the same tenant.
  package init(original: IDTokenClaims) {
    self.original = original
  }

  /// Compares the claims of the refreshed token.
  ///
  /// - Parameter refreshed: The new token's claims, otherwise validated.
  /// - Throws: `IDTokenError` when the token is about another person, or for another client.
  package func check(_ refreshed: IDTokenClaims) throws(IDTokenError) {
    try same("iss", original.issuer, refreshed.issuer, "from", .refreshedIssuerChanged)
    try same("sub", original.subject, refreshed.subject, "about", .refreshedSubjectChanged)
    // "its aud Claim Value MUST include the original ID Token's aud value"
    for audience in original.audience where !refreshed.audience.contains(where: audience.isIdentical) {
      throw IDTokenError(.refreshedAudienceChanged, "the refreshed ID token is no longer for \(audience.quoted) (aud)")
    }
    // No azp before, none now: an issuer that starts to name a party has issued to another.
    try same("azp", original.authorizedParty, refreshed.authorizedParty, "issued to", .refreshedAuthorizedPartyChanged)
    // The time of the original authentication, not that of the refresh; it may be left out.
    if let before = original.authenticatedAt, let after = refreshed.authenticatedAt, before != after {
      throw IDTokenError(
        .refreshedAuthenticationTimeChanged,
        "the refreshed ID token says that the person authenticated at \(after); it was at \(before) (auth_time)"
      )
    }
    // "its iat Claim MUST represent the time that the new ID Token is issued", by the provider's clocks alone.
    if let before = original.issuedAt, let after = refreshed.issuedAt, after < before {
      let (gap, isHuge) = before.subtractingReportingOverflow(after)
      guard !isHuge, gap <= IDTokenRules.usualClockTolerance else {
        throw IDTokenError(
          .refreshedIssuedEarlier,
          "the refreshed ID token was issued at \(after), before the one that it replaces, of \(before) (iat)"
        )
      }
    }
    if let nonce = refreshed.nonce, nonce != original.nonce {
      throw IDTokenError(.refreshedNonceChanged, "the refreshed ID token has another nonce than the one before it")
    }
  }

  private func same(
    _ name: String,
    _ before: String?,
    _ after: String?,
    _ relation: String,
    _ rule: IDTokenError.Code
  ) throws(IDTokenError) {
    if let before, let after, before.isIdentical(to: after) { return }
    if before == nil, after == nil { return }
    let (found, expected) = (after?.quoted ?? "nobody", before?.quoted ?? "nobody")
    throw IDTokenError(rule, "the refreshed ID token is \(relation) \(found) (\(name)); it was \(relation) \(expected)")
  }
}
