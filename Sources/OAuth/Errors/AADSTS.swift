package import Core

/// Entra's error numbers that people meet, each with a plain sentence and what to do.
package enum AADSTS {
  /// What a number means.
  package struct Entry: Sendable, Equatable {
    /// What happened.
    package let meaning: String
    /// What to do next.
    package let hint: Hint
    /// Whether the hint ends with the page where an administrator consents.
    var takesConsentPage = false
  }

  /// The client ID is none of the tenant's.
  package static let applicationNotFound = 700016
  /// The person pressed Cancel on the consent page.
  static let consentDeclined = 65004

  /// What a number means.
  package static func entry(_ number: Int) -> Entry? { entries[number] }

  /// The hint for an error, with the page where an administrator can consent when that is what it takes.
  package static func hint(for response: ProviderError, authority: Authority, clientID: String) -> Hint? {
    guard let entry = response.codes.lazy.compactMap({ entries[$0] }).first else { return nil }
    guard entry.takesConsentPage, let page = adminConsentURL(authority: authority, clientID: clientID) else {
      return entry.hint
    }
    return "\(entry.hint): \(page)"
  }

  /// The page where an administrator consents for the whole organization.
  package static func adminConsentURL(authority: Authority, clientID: String) -> String? {
    guard authority.kind == .aad || authority.kind == .ciam, let tenant = authority.tenant else { return nil }
    // The page works for organizations only.
    let organization = authority.isTenantless ? "organizations" : tenant
    return authority.inTenant(organization).url + "/adminconsent?" + FormEncoding.encode([("client_id", clientID)])
  }
}
