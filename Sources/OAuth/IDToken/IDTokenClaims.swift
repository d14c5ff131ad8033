package import Core

/// What an ID token says (OIDC Core §2, §5.1; Entra's ID token claims).
///
/// A typed claim is nil when the token does not have it, or has it in another type.
package struct IDTokenClaims: Sendable, Equatable {
  /// Every claim, those that this version does not know too.
  package let all: JSON.Object

  /// Wraps claims that were read elsewhere.
  package init(_ all: JSON.Object) {
    self.all = all
  }

  /// Whether the token has a claim; some providers send null for an optional one.
  func has(_ name: String) -> Bool {
    guard let value = all[name] else { return false }
    return value != .null || !["nonce", "auth_time", "azp", "at_hash"].contains(name)
  }

  package var issuer: String? { all["iss"]?.string }
  package var subject: String? { all["sub"]?.string }
  /// Whom the token is for (`aud`), also where it is one text and not an array; empty when it is neither.
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
  /// Entra's user or other object (`oid`), the same in all apps of a tenant.
  package var objectID: String? { all["oid"]?.string }
  package var preferredUsername: String? { all["preferred_username"]?.string }
  package var userPrincipalName: String? { all["upn"]?.string }
  /// Azure AD B2C lists a person's addresses in `emails` instead.
  package var email: String? { all["email"]?.string ?? all["emails"]?.array?.first?.string }
  package var name: String? { all["name"]?.string }
  /// What the provider wants as `logout_hint` (`login_hint`, an optional claim of Entra's).
  package var loginHint: String? { all["login_hint"]?.string }

  /// A name to call the person by: `preferred_username`, else `upn`, `email`; nil where there is only an identifier.
  package var personName: String? {
    [preferredUsername, userPrincipalName, email].lazy.compactMap(\.self).first { !$0.isEmpty }
  }

  /// What to call the account: the person's name, else `sub`; empty when it has neither.
  package var username: String { personName ?? subject ?? "" }

  /// A NumericDate (RFC 7519 §2), whose fraction of a second is dropped.
  private func time(_ name: String) -> UnixTime? {
    all[name]?.number?.truncated
  }
}
