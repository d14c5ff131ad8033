package import MSAuthCore

/// Entra's common error numbers.
package enum AADSTS {
  package struct Entry: Sendable, Equatable {
    package let meaning: String
    package let hint: Hint
    /// Whether the hint ends with the page where an administrator consents.
    let takesConsentPage: Bool

    init(_ meaning: String, _ hint: Hint, takesConsentPage: Bool = false) {
      (self.meaning, self.hint, self.takesConsentPage) = (meaning, hint, takesConsentPage)
    }
  }

  package static let applicationNotFound = 700016
  /// The user chose Cancel on the consent page.
  static let consentDeclined = 65004

  /// Numbers with the meaning of another.
  static let synonyms = [
    53006: 53003, 53007: 53003, 53009: 53005, 500_022: 500_021, 530_001: 53008, 530_021: 53002, 530_031: 53003,
    530_036: 530_035, 9_002_346: 9_002_331,
  ]

  static func entry(_ number: Int) -> Entry? { entries[synonyms[number] ?? number] ?? policy(number) }

  private static func policy(_ number: Int) -> Entry? { policies[synonyms[number] ?? number] }

  /// Whether an administrator's decision causes the error, so that signing in again doesn't help: after others, such as
  /// 50105 and 90094, Entra's page offers another account or a request for approval.
  static func isPolicy(_ number: Int) -> Bool { policy(number) != nil }

  /// The hint for an error, with the administrator's consent page if that is required.
  package static func hint(for response: ProviderError, authority: Authority, clientID: String) -> Hint? {
    guard let entry = response.knownCode?.entry else { return nil }
    guard entry.takesConsentPage, let page = adminConsentURL(authority: authority, clientID: clientID) else {
      return entry.hint
    }
    return "\(entry.hint): \(page)"
  }

  /// The page where an administrator consents for the whole organization.
  private static func adminConsentURL(authority: Authority, clientID: String) -> String? {
    guard authority.kind == .aad || authority.kind == .ciam, let tenant = authority.tenant else { return nil }
    // The page works only for organizations.
    let organization = authority.isTenantless ? "organizations" : tenant
    guard let page = try? authority.inTenant(organization) else { return nil }
    return page.url + "/adminconsent?" + FormEncoding.encode([("client_id", clientID)])
  }

  private static let registerLocalhost: Hint =
    "register `http://localhost` under Authentication, Mobile and desktop applications"
  private static let allowPublicClients: Hint = "set \"Allow public client flows\" to Yes under Authentication"
  private static let nameResource: Hint =
    "omit the resource, and name it in each scope, as in `api://<client ID>/access`"

  static let entries: [Int: Entry] = [
    16000: Entry(
      "several accounts are signed in and none was chosen, or the account isn't in this tenant",
      "\(signIn: []) with \(setting: "prompt", "select_account", or: "an account picker"), or name the account"
    ),
    28000: Entry("the scopes belong to several resources", "request the scopes of one resource at a time"),
    50011: Entry("the redirect URI isn't registered for this app", "\(registerLocalhost), or use the registered one"),
    50020: Entry(
      "the account belongs to another tenant and isn't a guest in this one",
      "sign in with an account of this tenant, request a guest invitation, or use another authority"
    ),
    50034: Entry("the account doesn't exist in this tenant", "check the username, and the tenant in the authority"),
    50053: Entry(
      "the account is locked after too many failed sign-ins, or the address is blocked",
      "wait a few minutes, then \(signIn: []), or ask your administrator"
    ),
    50055: Entry("the password has expired", "\(signIn: []) and set a new password in the browser"),
    50058: Entry("the browser has no session, so signing in silently isn't possible", "sign in without prompt=none"),
    50059: Entry("the request doesn't name the tenant", "name the tenant in the authority"),
    50076: Entry("multi-factor authentication is required", "\(signIn: []) and complete it in the browser"),
    50078: Entry("the multi-factor authentication has expired", "\(signIn: []) and complete it in the browser"),
    50079: Entry("the account must enroll for multi-factor authentication", "\(signIn: []) and enroll in the browser"),
    50105: Entry(
      "the account isn't assigned to this app",
      "ask the app's administrator to assign it under Enterprise applications, Users and groups"
    ),
    50126: Entry("the username or the password is wrong", .signIn),
    50128: Entry("the domain doesn't belong to a tenant", "check the tenant in the authority"),
    50140: Entry("the sign-in was interrupted by the prompt to stay signed in", .signIn),
    50142: Entry("a conditional access policy requires a new password", "\(signIn: []) and change it in the browser"),
    50158: Entry("another security check outside of Entra is required", "\(signIn: []) and complete it in the browser"),
    50173: Entry("the session was revoked, for example by a password change", .signIn),
    50194: Entry(
      "the app is registered for one tenant and can't be used through /common",
      "name the tenant, as in https://login.microsoftonline.com/<tenant>"
    ),
    50196: Entry("the same request was sent too often", "wait a few minutes; look for a loop in the calling script"),
    65001: Entry(
      "consent to the requested permissions is missing",
      "\(signIn: []) and accept, or let an administrator consent for the organization",
      takesConsentPage: true
    ),
    65004: Entry("the consent was declined", "\(signIn: []) and accept, or request fewer scopes"),
    65005: Entry("the app's registration lacks a permission", "add it under API permissions, or request other scopes"),
    70000: Entry("the grant is invalid, or the scopes weren't granted", "\(signIn: []) with the scopes that you need"),
    70002: Entry("the app's registration doesn't allow this kind of request", allowPublicClients),
    70008: Entry("the refresh token or the code has expired", .signIn),
    70011: Entry(
      "a scope is invalid",
      "check the spelling; a resource's scope ends in `/.default`, which can't be combined with single scopes"
    ),
    70016: Entry("the device code hasn't been entered yet", "open the page, enter the code and sign in"),
    70019: Entry("the device code has expired", "start again and enter the code in time"),
    70043: Entry("the refresh token has expired by a policy's sign-in frequency", .signIn),
    70044: Entry("the session has expired by a policy's sign-in frequency", .signIn),
    90002: Entry("the tenant doesn't exist", "check the tenant in the authority, and that it is in this cloud"),
    90008: Entry(
      "consent to the app's access to its own resource is missing",
      "add the permission `User.Read` of Microsoft Graph to the app's registration"
    ),
    90072: Entry(
      "the account comes from another provider and isn't in this tenant",
      "add the account to the tenant as a guest, or sign out and use another account"
    ),
    90094: Entry("an administrator must consent", "ask an administrator to consent", takesConsentPage: true),
    90095: Entry(
      "an administrator must approve; the approval was requested or can be requested in the browser",
      "wait for the approval, then \(signIn: [])"
    ),
    90099: Entry("the app isn't authorized in this tenant yet", "let a user of the tenant sign in and consent first"),
    500_011: Entry(
      "the resource of a scope doesn't exist in this tenant",
      "check the first part of the scope, and that the authority names the right tenant"
    ),
    500_113: Entry("no redirect URI is registered for this app", registerLocalhost),
    650_053: Entry(
      "the app requests a scope that the resource doesn't have",
      "name the resource in the scope, as in `api://<client ID>/access`: a bare name is one of Microsoft Graph's"
    ),
    700_003: Entry("the device wasn't found in the tenant", "enroll the device with your organization again"),
    700_016: Entry("the app isn't registered in this tenant", "check the client ID, and the tenant in the authority"),
    700_038: Entry("the client ID is all zeros", "use the app's own client ID"),
    700_054: Entry(
      "the app's registration doesn't allow this kind of response",
      "register the redirect URI under Mobile and desktop applications, not under Web"
    ),
    700_082: Entry("the refresh token has expired because it wasn't used for a long time", .signIn),
    700_084: Entry(
      "the refresh token was issued to a single-page app and has expired",
      "register the redirect URI under Mobile and desktop applications, then \(signIn: [])"
    ),
    900_439: Entry(
      "the account or the app belongs to another national cloud",
      """
      name that cloud's authority, or use \(setting: "multiple_clouds_supported", "true", or: "multiple clouds"), if \
      the app is registered in both
      """
    ),
    901_002: Entry("the parameter `resource` isn't supported here", nameResource),
    7_000_112: Entry("the app is disabled", "ask the app's owner"),
    7_000_218: Entry(
      "the app is registered as a confidential client, which needs a secret",
      "\(allowPublicClients), and register `http://localhost` for desktop"
    ),
    9_002_313: Entry(
      "the request is malformed, or the code was already used",
      "\(signIn: []); if it fails again, check the request's parameters in a verbose log"
    ),
    9_002_325: Entry("the redirect URI's registration requires PKCE", "sign in through the browser"),
    9_002_327: Entry(
      "the redirect URI is registered for a single-page app",
      "register it under Mobile and desktop applications, and remove it under Single-page application"
    ),
    9_002_331: Entry(
      "the app accepts only personal Microsoft accounts",
      "use the authority https://login.microsoftonline.com/consumers"
    ),
    9_010_010: Entry("the resource isn't the one in the scopes", nameResource),
  ]
}
