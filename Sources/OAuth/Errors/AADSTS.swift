package import Core

/// Entra's error numbers that people meet, each with a plain sentence and what to do.
package enum AADSTS {
  /// What a number means.
  package struct Entry: Sendable, Equatable {
    /// What happened.
    package let meaning: String
    /// What to do next.
    package let remedy: Remedy

    init(meaning: String, remedy: Remedy) {
      self.meaning = meaning
      self.remedy = remedy
    }

    /// An entry whose remedy is peculiar to it.
    init(meaning: String, advice: String) {
      self.init(meaning: meaning, remedy: .advice(advice))
    }
  }

  /// The client ID is none of the tenant's.
  package static let applicationNotFound = 700016
  /// The person pressed Cancel on the consent page.
  static let consentDeclined = 65004

  /// What a number means.
  ///
  /// - Parameter number: The digits of `AADSTSnnnnn`.
  /// - Returns: The entry, or nil for a number not in the table.
  package static func entry(_ number: Int) -> Entry? { entries[number] }

  /// The remedy for an error, with the page where an administrator can consent when that is what it takes.
  ///
  /// - Parameters:
  ///   - response: The provider's error.
  ///   - authority: Where the sign-in went.
  ///   - clientID: The app's registration.
  /// - Returns: The remedy, or nil when no number of the error is known.
  package static func remedy(for response: OAuthErrorResponse, authority: Authority, clientID: String) -> Remedy? {
    switch response.errorCodes.lazy.compactMap({ entries[$0] }).first?.remedy {
    case .consent: .consent(adminConsentURL: adminConsentURL(authority: authority, clientID: clientID))
    case .adminConsent: .adminConsent(url: adminConsentURL(authority: authority, clientID: clientID))
    case let other: other
    }
  }

  /// The page where an administrator consents for the whole organization.
  ///
  /// - Parameters:
  ///   - authority: Where the sign-in goes.
  ///   - clientID: The app's registration.
  /// - Returns: The URL, or nil for an authority that has no such page.
  package static func adminConsentURL(authority: Authority, clientID: String) -> String? {
    guard authority.kind == .aad || authority.kind == .ciam, let tenant = authority.tenant else { return nil }
    // The page works for organizations only.
    let organization = authority.isTenantless ? "organizations" : tenant
    return authority.inTenant(organization).url + "/adminconsent?" + FormEncoding.encode([("client_id", clientID)])
  }
}
