/// Which issuer an ID token or a redirect must name.
package enum IssuerRule: Sendable, Equatable {
  /// This very text (OpenID Connect Core §3.1.3.7 rule 2).
  case exact(String)
  /// Entra's text for an audience of many tenants, with `{tenantid}` to be replaced by the ID token's `tid`.
  case tenantTemplate(String)

  /// What Entra writes in place of the tenant.
  package static let placeholder = "{tenantid}"

  /// The issuer that must be named.
  ///
  /// - Parameter tenantID: The ID token's `tid`.
  /// - Returns: The text to compare with, or nil when a tenant is needed and there is none that could be one.
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

  /// Entra's tenant IDs are GUIDs.
  static func isTenantID(_ text: String) -> Bool {
    let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    return groups.map(\.count) == [8, 4, 4, 4, 12]
      && groups.joined().allSatisfy { $0 < 0x80 && Character(Unicode.Scalar($0)).isHexDigit }
  }
}
