import Core

/// Which issuer an ID token or a redirect must name.
package enum IssuerRule: Sendable, Equatable {
  /// This very text (OpenID Connect Core §3.1.3.7 rule 2).
  case exact(String)
  /// Entra's text for an audience of many tenants, with `{tenantid}` to be replaced by the ID token's `tid`.
  case tenantTemplate(String)

  /// What Entra writes in place of the tenant.
  package static let placeholder = "{tenantid}"

  /// The issuer as the metadata writes it, for a message.
  package var name: String {
    switch self {
    case .exact(let issuer), .tenantTemplate(let issuer): issuer
    }
  }

  /// The issuer for a person; where accounts of many tenants sign in, the authority's URL.
  package func name(at authority: Authority) -> String {
    if case .exact(let issuer) = self { issuer } else { authority.url }
  }

  /// The issuer that must be named.
  package func expectedIssuer(tenantID: String?) -> String? {
    switch self {
    case .exact(let issuer):
      return issuer
    case .tenantTemplate(let template):
      // A tid with a slash or a dot could make the template name another path or host.
      guard let tenantID, Self.isTenantID(tenantID) else { return nil }
      return template.replacing(Self.placeholder, with: tenantID)
    }
  }

  /// Whether a text is an issuer that fits, of whatever tenant.
  package func matches(_ issuer: String) -> Bool {
    switch self {
    case .exact(let expected): return issuer.isIdentical(to: expected)
    case .tenantTemplate(let template):
      // Over bytes: a Kelvin sign equals a K.
      let parts = template.split(separator: Self.placeholder, omittingEmptySubsequences: false).map { Array($0.utf8) }
      let issuer = Array(issuer.utf8)
      guard parts.count == 2, issuer.count > parts[0].count + parts[1].count, issuer.starts(with: parts[0]),
        issuer.suffix(parts[1].count) == parts[1][...]
      else { return false }
      let tenant = issuer.dropFirst(parts[0].count).dropLast(parts[1].count)
      return Self.isTenantID(String(decoding: tenant, as: UTF8.self))
    }
  }

  /// Entra's tenant IDs are GUIDs.
  static func isTenantID(_ text: String) -> Bool {
    let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    return groups.map(\.count) == [8, 4, 4, 4, 12]
      && groups.joined().allSatisfy { $0.hexDigitValue != nil }
  }
}
