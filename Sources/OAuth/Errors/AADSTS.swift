package import MSAuthCore

/// Entra's common error numbers.
package enum AADSTS {
  package struct Entry: Sendable, Equatable {
    package let meaning: String
    package let hint: Hint
    /// Whether the hint ends with the page where an administrator consents.
    var takesConsentPage = false
  }

  package static let applicationNotFound = 700016
  /// The user chose Cancel on the consent page.
  static let consentDeclined = 65004

  package static func entry(_ number: Int) -> Entry? { entries[number] }

  /// The hint for an error, with the administrator's consent page if that is required.
  package static func hint(for response: ProviderError, authority: Authority, clientID: String) -> Hint? {
    guard let entry = response.codes.lazy.compactMap({ entries[$0] }).first else { return nil }
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

  private static let entries: [Int: Entry] = {
    var entries: [Int: Entry] = [
      16000: Entry(
        meaning: "several accounts are signed in and none was chosen, or the account isn't in this tenant",
        hint: "\(signIn: []) with \(setting: "prompt", "select_account", or: "an account picker"), or name the account"
      ),
      900439: Entry(
        meaning: "the account or the app belongs to another national cloud",
        hint: """
          name that cloud's authority, or use \(setting: "multiple_clouds_supported", "true", or: "multiple clouds"), if \
          the app is registered in both
          """
      ),
    ]
    var lines = table.split(separator: "\n")[...]
    while let first = lines.popFirst(), let hint = lines.popFirst() {
      let words = first.split(separator: " ", maxSplits: 1)
      guard words.count == 2, let number = Int(words[0]) else { continue }
      entries[number] = Entry(
        meaning: String(words[1]),
        hint: Self.hint(hint.hasSuffix(":") ? hint.dropLast() : hint),
        takesConsentPage: hint.hasSuffix(":")
      )
    }
    return entries
  }()

  private static func hint(_ text: Substring) -> Hint {
    var hint = Hint.StringInterpolation(literalCapacity: 0, interpolationCount: 0)
    for (index, words) in text.split(separator: "sign in again", omittingEmptySubsequences: false).enumerated() {
      if index > 0 { hint.appendInterpolation(signIn: []) }
      hint.appendLiteral(String(words))
    }
    return Hint(stringInterpolation: hint)
  }

  /// Number and meaning, then the hint, where "sign in again" stands for the program's command, and a colon at the
  /// end for the page where an administrator consents.
  private static let table = """
    28000 the scopes belong to several resources, and a token is for one
    request the scopes of one resource at a time
    50011 the redirect URI isn't registered for this app
    register `http://localhost` under Authentication, Mobile and desktop applications, or use the registered redirect URI
    50020 the account belongs to another tenant and isn't a guest in this one
    sign in with an account of this tenant, request a guest invitation, or use another authority
    50034 the account doesn't exist in this tenant
    check the username, and that the authority names the account's tenant
    50053 the account is locked after too many failed sign-ins, or the address is blocked
    wait a few minutes, then sign in again, or ask your administrator
    50055 the password has expired
    sign in again and set a new password in the browser
    50057 the account is disabled
    ask your administrator to enable it
    50058 the browser has no session, so signing in without a page isn't possible
    sign in without prompt=none
    50059 the request doesn't name the tenant
    name the tenant in the authority
    50076 multi-factor authentication is required
    sign in again and complete it in the browser
    50078 the multi-factor authentication has expired
    sign in again and complete it in the browser
    50079 the account must be enrolled for multi-factor authentication
    sign in again and enroll in the browser
    50105 the account isn't assigned to this app
    ask the app's administrator to assign it under Enterprise applications, Users and groups
    50126 the username or the password is wrong
    sign in again
    50128 the domain doesn't belong to a tenant
    check the tenant in the authority
    50140 the sign-in was interrupted by the prompt to stay signed in
    sign in again
    50142 a conditional access policy requires a new password
    sign in again and change the password in the browser
    50158 another security check outside of Entra is required
    sign in again and complete it in the browser
    50173 the session was revoked, for example by a password change
    sign in again
    50194 the app is registered for one tenant and can't be used through /common
    name the tenant, as in https://login.microsoftonline.com/<tenant>
    50196 the same request was sent too often
    wait a few minutes before the next attempt, and look for a loop in the calling script
    53000 a conditional access policy requires a compliant device
    enroll the device with your organization, or sign in from a compliant one
    53001 a conditional access policy requires a device joined to the organization's domain
    sign in from such a device, or ask your administrator
    53003 a conditional access policy blocked the sign-in
    ask your administrator which condition isn't met
    65001 consent to the requested permissions is missing
    sign in again and accept, or let an administrator consent for the organization:
    65004 the consent was declined
    sign in again and accept, or request fewer scopes
    65005 the app requests a permission that its registration doesn't list
    add the permission under API permissions, or request other scopes
    70000 the grant is invalid, or the requested scopes weren't granted
    sign in again with the scopes that you need
    70002 the app's registration doesn't allow this kind of request
    set "Allow public client flows" to Yes under Authentication
    70008 the refresh token or the code has expired
    sign in again
    70011 a scope is invalid
    check the spelling, and don't combine `/.default` with single scopes
    70016 the device code has not been entered yet
    open the page, enter the code and sign in
    70019 the device code has expired
    start again and enter the code in time
    70043 the refresh token has expired by a policy's sign-in frequency
    sign in again
    70044 the session has expired by a policy's sign-in frequency
    sign in again
    90002 the tenant doesn't exist
    check the tenant's name or ID in the authority, and that it is in this cloud
    90008 consent to the app's access to its own resource is missing
    add the permission `User.Read` of Microsoft Graph to the app's registration
    90072 the account comes from another provider and isn't in this tenant
    add the account to the tenant as a guest, or sign out and use another account
    90094 an administrator must consent
    let an administrator consent for the organization:
    90095 an administrator must approve; the approval was requested or can be requested in the browser
    wait for the approval, then sign in again
    90099 the app isn't authorized in this tenant yet
    let a user of the tenant sign in and consent first
    500011 the resource of a scope doesn't exist in this tenant
    check the first part of the scope, and that the authority names the right tenant
    500113 no redirect URI is registered for this app
    register `http://localhost` under Authentication, Mobile and desktop applications
    530002 a conditional access policy requires a joined and registered device
    enroll the device with your organization, or sign in from a compliant one
    530003 a conditional access policy requires a managed device
    sign in with the browser of a managed device; such policies usually block device codes
    650053 the app requests a scope that the resource doesn't have
    name the resource in the scope, as in `api://<client ID>/access`: a bare name is one of Microsoft Graph's
    700003 the device wasn't found in the tenant
    enroll the device with your organization again
    700016 the app isn't registered in this tenant
    check the client ID, and that the authority names the tenant where the app is registered
    700038 the client ID is all zeros
    use the app's own client ID
    700054 the app's registration doesn't allow this kind of response
    register the redirect URI under Mobile and desktop applications, not under Web
    700082 the refresh token has expired because it wasn't used for a long time
    sign in again
    700084 the refresh token was issued to a single-page app and has expired
    register the redirect URI under Mobile and desktop applications, then sign in again
    901002 the parameter `resource` isn't supported here
    omit the resource, and name it in each scope, as in `api://<client ID>/access`
    7000112 the app is disabled
    ask the app's owner
    7000218 the app is registered as a confidential client, which needs a secret
    set "Allow public client flows" to Yes under Authentication, and register `http://localhost` for desktop
    9002313 the request is malformed, or the code was already used
    sign in again; if it fails again, check the request's parameters in a verbose log
    9002325 the redirect URI's registration requires PKCE
    sign in through the browser
    9002326 the redirect URI is registered for a single-page app
    register it under Mobile and desktop applications
    9002331 the app accepts only personal Microsoft accounts
    use the authority https://login.microsoftonline.com/consumers
    9010010 the resource isn't the one that the scopes name
    omit the resource, and name it in each scope, as in `api://<client ID>/access`
    9002346 the app accepts only personal Microsoft accounts
    use the authority https://login.microsoftonline.com/consumers
    """
}
