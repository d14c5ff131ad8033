package import MSAuthCore

/// The claims of an ID token (OIDC Core §2, §5.1; Entra's ID token claims).
///
/// A typed claim is nil if it is missing or of another type.
package struct IDTokenClaims: Sendable, Equatable {
  /// Every claim, also unknown ones.
  package let all: JSONValue.Object

  package init(_ all: JSONValue.Object) {
    self.all = all
  }

  /// Some providers send null for an optional claim.
  func has(_ name: String) -> Bool {
    guard let value = all[name] else { return false }
    return value != .null || !["nonce", "auth_time", "azp", "at_hash"].contains(name)
  }

  package var issuer: String? { all["iss"]?.string }
  package var subject: String? { all["sub"]?.string }
  /// `aud`, a string or an array; empty if it is neither.
  package var audience: [String] {
    if let one = all["aud"]?.string { return [one] }
    return all["aud"]?.array?.compactMap(\.string) ?? []
  }
  package var authorizedParty: String? { all["azp"]?.string }
  package var expiresAt: UnixTime? { time("exp") }
  package var issuedAt: UnixTime? { time("iat") }
  package var notBefore: UnixTime? { time("nbf") }
  package var authenticatedAt: UnixTime? { time("auth_time") }
  package var nonce: Secret? { all["nonce"]?.string.map(Secret.init) }
  package var accessTokenHash: String? { all["at_hash"]?.string }

  /// Entra's tenant (`tid`).
  package var tenantID: String? { all["tid"]?.string }
  /// Entra's ID of the user (`oid`), the same in all apps of a tenant.
  package var objectID: String? { all["oid"]?.string }
  package var preferredUsername: String? { all["preferred_username"]?.string }
  package var userPrincipalName: String? { all["upn"]?.string }
  /// Azure AD B2C has `emails` instead.
  package var email: String? { all["email"]?.string ?? all["emails"]?.array?.first?.string }
  package var name: String? { all["name"]?.string }
  /// Entra's optional claim for `logout_hint`.
  package var loginHint: String? { all["login_hint"]?.string }

  /// `preferred_username`, else `upn`, `email`.
  package var claimedUsername: String? {
    [preferredUsername, userPrincipalName, email].lazy.compactMap(\.self).first { !$0.isEmpty }
  }

  /// The account's name: the user's, else `sub`.
  package var username: String { claimedUsername ?? subject ?? "" }

  /// A NumericDate (RFC 7519 §2) without the fraction.
  private func time(_ name: String) -> UnixTime? {
    all[name]?.number?.truncated
  }
}
