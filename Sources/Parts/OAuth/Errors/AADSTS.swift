package import MSAuthCore

/// Entra's common error numbers.
package enum AADSTS {
  package struct Entry: Sendable, Equatable {
    package let meaning: String
    package let hint: Hint
    /// Whether the hint ends with the page where an administrator consents.
    let takesConsentPage: Bool
  }

  /// The beginning of an entry.
  struct Meaning {
    private let words: String

    init(_ words: String) { self.words = words }

    func hint(_ hint: Hint, takesConsentPage: Bool = false) -> Entry {
      Entry(meaning: words, hint: hint, takesConsentPage: takesConsentPage)
    }
  }

  package static let applicationNotFound = 700016
  /// The user chose Cancel on the consent page.
  static let consentDeclined = 65004

  package static func entry(_ number: Int) -> Entry? { entries[number] ?? policies[number] }

  /// Whether an administrator's decision causes the error, so that signing in again doesn't help: after others, such as
  /// 50105 and 90094, Entra's page offers another account or a request for approval.
  static func isPolicy(_ number: Int) -> Bool { policies[number] != nil }

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

  private static let entries: [Int: Entry] = [
    16000: Meaning("several accounts are signed in and none was chosen, or the account isn't in this tenant")
      .hint("\(signIn: []) with \(setting: "prompt", "select_account", or: "an account picker"), or name the account"),
    28000: Meaning("the scopes belong to several resources, and a token is for one")
      .hint("request the scopes of one resource at a time"),
    50011: Meaning("the redirect URI isn't registered for this app")
      .hint(
        "register `http://localhost` under Authentication, Mobile and desktop applications, or use the registered redirect URI"
      ),
    50020: Meaning("the account belongs to another tenant and isn't a guest in this one")
      .hint("sign in with an account of this tenant, request a guest invitation, or use another authority"),
    50034: Meaning("the account doesn't exist in this tenant")
      .hint("check the username, and that the authority names the account's tenant"),
    50053: Meaning("the account is locked after too many failed sign-ins, or the address is blocked")
      .hint("wait a few minutes, then \(signIn: []), or ask your administrator"),
    50055: Meaning("the password has expired").hint("\(signIn: []) and set a new password in the browser"),
    50058: Meaning("the browser has no session, so signing in without a page isn't possible")
      .hint("sign in without prompt=none"),
    50059: Meaning("the request doesn't name the tenant").hint("name the tenant in the authority"),
    50076: Meaning("multi-factor authentication is required").hint("\(signIn: []) and complete it in the browser"),
    50078: Meaning("the multi-factor authentication has expired").hint("\(signIn: []) and complete it in the browser"),
    50079: Meaning("the account must be enrolled for multi-factor authentication")
      .hint("\(signIn: []) and enroll in the browser"),
    50105: Meaning("the account isn't assigned to this app")
      .hint("ask the app's administrator to assign it under Enterprise applications, Users and groups"),
    50126: Meaning("the username or the password is wrong").hint("\(signIn: [])"),
    50128: Meaning("the domain doesn't belong to a tenant").hint("check the tenant in the authority"),
    50140: Meaning("the sign-in was interrupted by the prompt to stay signed in").hint("\(signIn: [])"),
    50142: Meaning("a conditional access policy requires a new password")
      .hint("\(signIn: []) and change the password in the browser"),
    50158: Meaning("another security check outside of Entra is required")
      .hint("\(signIn: []) and complete it in the browser"),
    50173: Meaning("the session was revoked, for example by a password change").hint("\(signIn: [])"),
    50194: Meaning("the app is registered for one tenant and can't be used through /common")
      .hint("name the tenant, as in https://login.microsoftonline.com/<tenant>"),
    50196: Meaning("the same request was sent too often")
      .hint("wait a few minutes before the next attempt, and look for a loop in the calling script"),
    65001: Meaning("consent to the requested permissions is missing")
      .hint("\(signIn: []) and accept, or let an administrator consent for the organization", takesConsentPage: true),
    65004: Meaning("the consent was declined").hint("\(signIn: []) and accept, or request fewer scopes"),
    65005: Meaning("the app requests a permission that its registration doesn't list")
      .hint("add the permission under API permissions, or request other scopes"),
    70000: Meaning("the grant is invalid, or the requested scopes weren't granted")
      .hint("\(signIn: []) with the scopes that you need"),
    70002: Meaning("the app's registration doesn't allow this kind of request")
      .hint("set \"Allow public client flows\" to Yes under Authentication"),
    70008: Meaning("the refresh token or the code has expired").hint("\(signIn: [])"),
    70011: Meaning("a scope is invalid").hint("check the spelling, and don't combine `/.default` with single scopes"),
    70016: Meaning("the device code hasn't been entered yet").hint("open the page, enter the code and sign in"),
    70019: Meaning("the device code has expired").hint("start again and enter the code in time"),
    70043: Meaning("the refresh token has expired by a policy's sign-in frequency").hint("\(signIn: [])"),
    70044: Meaning("the session has expired by a policy's sign-in frequency").hint("\(signIn: [])"),
    90002: Meaning("the tenant doesn't exist")
      .hint("check the tenant's name or ID in the authority, and that it is in this cloud"),
    90008: Meaning("consent to the app's access to its own resource is missing")
      .hint("add the permission `User.Read` of Microsoft Graph to the app's registration"),
    90072: Meaning("the account comes from another provider and isn't in this tenant")
      .hint("add the account to the tenant as a guest, or sign out and use another account"),
    90094: Meaning("an administrator must consent")
      .hint("let an administrator consent for the organization", takesConsentPage: true),
    90095: Meaning("an administrator must approve; the approval was requested or can be requested in the browser")
      .hint("wait for the approval, then \(signIn: [])"),
    90099: Meaning("the app isn't authorized in this tenant yet")
      .hint("let a user of the tenant sign in and consent first"),
    500_011: Meaning("the resource of a scope doesn't exist in this tenant")
      .hint("check the first part of the scope, and that the authority names the right tenant"),
    500_113: Meaning("no redirect URI is registered for this app")
      .hint("register `http://localhost` under Authentication, Mobile and desktop applications"),
    650_053: Meaning("the app requests a scope that the resource doesn't have")
      .hint(
        "name the resource in the scope, as in `api://<client ID>/access`: a bare name is one of Microsoft Graph's"
      ),
    700_003: Meaning("the device wasn't found in the tenant").hint("enroll the device with your organization again"),
    700_016: Meaning("the app isn't registered in this tenant")
      .hint("check the client ID, and that the authority names the tenant where the app is registered"),
    700_038: Meaning("the client ID is all zeros").hint("use the app's own client ID"),
    700_054: Meaning("the app's registration doesn't allow this kind of response")
      .hint("register the redirect URI under Mobile and desktop applications, not under Web"),
    700_082: Meaning("the refresh token has expired because it wasn't used for a long time").hint("\(signIn: [])"),
    700_084: Meaning("the refresh token was issued to a single-page app and has expired")
      .hint("register the redirect URI under Mobile and desktop applications, then \(signIn: [])"),
    900_439: Meaning("the account or the app belongs to another national cloud")
      .hint(
        """
        name that cloud's authority, or use \(setting: "multiple_clouds_supported", "true", or: "multiple clouds"), if \
        the app is registered in both
        """
      ),
    901_002: Meaning("the parameter `resource` isn't supported here")
      .hint("omit the resource, and name it in each scope, as in `api://<client ID>/access`"),
    7_000_112: Meaning("the app is disabled").hint("ask the app's owner"),
    7_000_218: Meaning("the app is registered as a confidential client, which needs a secret")
      .hint(
        "set \"Allow public client flows\" to Yes under Authentication, and register `http://localhost` for desktop"
      ),
    9_002_313: Meaning("the request is malformed, or the code was already used")
      .hint("\(signIn: []); if it fails again, check the request's parameters in a verbose log"),
    9_002_325: Meaning("the redirect URI's registration requires PKCE").hint("sign in through the browser"),
    9_002_327: Meaning("the redirect URI is registered for a single-page app")
      .hint("register it under Mobile and desktop applications, and remove it under Single-page application"),
    9_002_331: Meaning("the app accepts only personal Microsoft accounts")
      .hint("use the authority https://login.microsoftonline.com/consumers"),
    9_002_346: Meaning("the app accepts only personal Microsoft accounts")
      .hint("use the authority https://login.microsoftonline.com/consumers"),
    9_010_010: Meaning("the resource isn't the one that the scopes name")
      .hint("omit the resource, and name it in each scope, as in `api://<client ID>/access`"),
  ]
}
