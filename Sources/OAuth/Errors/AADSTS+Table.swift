import Core

extension AADSTS {
  /// By number.
  static let entries: [Int: Entry] = [
    16000: Entry(
      meaning: "several accounts are signed in and none was chosen, or the account is not in this tenant",
      hint: "\(signIn: []) with \(setting: "prompt", "select_account", or: "an account picker"), or name the account"
    ),
    50011: Entry(
      meaning: "the redirect URI is not registered for this app",
      hint:
        """
        register `http://localhost` under Authentication, Mobile and desktop applications, or use the redirect URI that is \
        registered
        """
    ),
    50020: Entry(
      meaning: "the account belongs to another directory and is not a guest in this one",
      hint: "sign in with an account of this tenant, ask for a guest invitation, or use another authority"
    ),
    50034: Entry(
      meaning: "the account does not exist in this directory",
      hint: "check the username, and that the authority names the account's tenant"
    ),
    50053: Entry(
      meaning: "the account is locked after too many failed sign-ins, or the address is blocked",
      hint: "wait some minutes, then sign in again, or ask your administrator"
    ),
    50055: Entry(
      meaning: "the password has expired",
      hint: "\(signIn: []) and set a new password in the browser"
    ),
    50057: Entry(
      meaning: "the account is disabled",
      hint: "ask your administrator to enable it"
    ),
    50058: Entry(
      meaning: "nobody is signed in in the browser, so a sign-in without a page is not possible",
      hint: "sign in without prompt=none"
    ),
    50059: Entry(
      meaning: "nothing in the request names the tenant",
      hint: "name the tenant in the authority"
    ),
    50076: Entry(
      meaning: "multi-factor authentication is required",
      hint: "\(signIn: []) and complete it in the browser"
    ),
    50078: Entry(
      meaning: "the multi-factor authentication has expired",
      hint: "\(signIn: []) and complete it again in the browser"
    ),
    50079: Entry(
      meaning: "the account must be enrolled for multi-factor authentication",
      hint: "\(signIn: []) and enrol in the browser"
    ),
    50105: Entry(
      meaning: "the account is not assigned to this app",
      hint: "ask the app's administrator to assign it under Enterprise applications, Users and groups"
    ),
    50126: Entry(
      meaning: "the username or the password is wrong",
      hint: .signIn
    ),
    50128: Entry(
      meaning: "the domain names no tenant",
      hint: "check the tenant in the authority"
    ),
    50140: Entry(
      meaning: "the sign-in was interrupted by the question whether to stay signed in",
      hint: .signIn
    ),
    50142: Entry(
      meaning: "a conditional access policy demands a new password",
      hint: "\(signIn: []) and change the password in the browser"
    ),
    50158: Entry(
      meaning: "another security check outside of Entra is required",
      hint: "\(signIn: []) and complete it in the browser"
    ),
    50173: Entry(
      meaning: "the sign-in was revoked, for instance by a change of password",
      hint: .signIn
    ),
    50194: Entry(
      meaning: "the app is registered for one tenant and cannot be used through /common",
      hint: "name the tenant, as in https://login.microsoftonline.com/<tenant>"
    ),
    50196: Entry(
      meaning: "the same request was sent too often",
      hint: "wait some minutes before the next try, and look for a loop in the calling script"
    ),
    53000: Entry(
      meaning: "a conditional access policy demands a compliant device",
      hint: "enrol the device with your organization, or sign in from one that is"
    ),
    53001: Entry(
      meaning: "a conditional access policy demands a device joined to the organization's domain",
      hint: "sign in from such a device, or ask your administrator"
    ),
    53003: Entry(
      meaning: "a conditional access policy blocked the sign-in",
      hint: "ask your administrator which condition is missing; the browser's page has the details"
    ),
    65001: Entry(
      meaning: "nobody has consented to what the app asks for",
      hint: "\(signIn: []) and accept, or let an administrator consent for the organization",
      takesConsentPage: true
    ),
    65004: Entry(
      meaning: "the consent was declined",
      hint: "\(signIn: []) and accept, or ask for fewer scopes"
    ),
    65005: Entry(
      meaning: "the app asks for a permission that its registration does not list",
      hint: "add the permission under API permissions, or ask for other scopes"
    ),
    70000: Entry(
      meaning: "the grant is not valid, or the scopes asked for were not granted",
      hint: "sign in again with the scopes that you need"
    ),
    70002: Entry(
      meaning: "the app's registration does not take this kind of request",
      hint: "set \"Allow public client flows\" to Yes under Authentication"
    ),
    70008: Entry(
      meaning: "the refresh token or the code has expired",
      hint: .signIn
    ),
    70011: Entry(
      meaning: "a scope is not valid",
      hint: "check the spelling, and do not mix `/.default` with single scopes"
    ),
    70016: Entry(
      meaning: "the device code is waiting for the person",
      hint: "open the page, enter the code and sign in"
    ),
    70019: Entry(
      meaning: "the device code has expired",
      hint: "start again and enter the code in time"
    ),
    70043: Entry(
      meaning: "the refresh token has expired by the sign-in frequency that a policy sets",
      hint: .signIn
    ),
    70044: Entry(
      meaning: "the session has expired by the sign-in frequency that a policy sets",
      hint: .signIn
    ),
    90002: Entry(
      meaning: "the tenant does not exist",
      hint: "check the tenant's name or ID in the authority, and that it is in this cloud"
    ),
    90008: Entry(
      meaning: "nobody has consented to the app's access to its own resource",
      hint: "add the permission `User.Read` of Microsoft Graph to the app's registration"
    ),
    90072: Entry(
      meaning: "the account comes from another provider and is not in this tenant",
      hint: "add the account to the tenant as a guest, or sign out and use another account"
    ),
    90094: Entry(
      meaning: "an administrator must consent",
      hint: "let an administrator consent for the organization",
      takesConsentPage: true
    ),
    90095: Entry(
      meaning: "an administrator must approve; the request for it was sent or can be sent in the browser",
      hint: "wait for the approval, then sign in again"
    ),
    90099: Entry(
      meaning: "the app was not yet authorized in this tenant",
      hint: "let somebody of the tenant sign in and consent first"
    ),
    500011: Entry(
      meaning: "the resource that a scope names does not exist in this tenant",
      hint: "check the scope's first part, and that the authority names the right tenant"
    ),
    500113: Entry(
      meaning: "no redirect URI is registered for this app",
      hint: "register `http://localhost` under Authentication, Mobile and desktop applications"
    ),
    530002: Entry(
      meaning: "a conditional access policy demands a device that is joined and known",
      hint: "enrol the device with your organization, or sign in from one that is"
    ),
    530003: Entry(
      meaning: "a conditional access policy demands a device that the organization manages",
      hint: "sign in with the browser of a managed device; a device code is usually blocked by such policies"
    ),
    700003: Entry(
      meaning: "the device was not found in the tenant",
      hint: "enrol the device with your organization again"
    ),
    700016: Entry(
      meaning: "the app is not registered in this tenant",
      hint: "check the client ID, and that the authority names the tenant where the app is registered"
    ),
    700038: Entry(
      meaning: "the client ID is all zeros",
      hint: "give the app's own client ID"
    ),
    700054: Entry(
      meaning: "the app's registration does not allow this kind of response",
      hint: "register the redirect URI under Mobile and desktop applications, not under Web"
    ),
    700082: Entry(
      meaning: "the refresh token has expired because it was not used for long",
      hint: .signIn
    ),
    700084: Entry(
      meaning: "the refresh token was given to a web page's app and has expired",
      hint: "register the redirect URI under Mobile and desktop applications, then sign in again"
    ),
    900439: Entry(
      meaning: "the account or the app belongs to another national cloud",
      hint:
        """
        name that cloud's authority, or use \(setting: "multiple_clouds_supported", "true", or: "multiple clouds"), if the \
        app is registered in both
        """
    ),
    7000112: Entry(
      meaning: "the app is disabled",
      hint: "ask the app's owner"
    ),
    7000218: Entry(
      meaning: "the app is registered as one with a secret",
      hint:
        "set \"Allow public client flows\" to Yes under Authentication, and register `http://localhost` for desktop"
    ),
    9002313: Entry(
      meaning: "the request is malformed, or the code was already used",
      hint: "sign in again; if it fails again, look at the request's parameters in a verbose log"
    ),
    9002325: Entry(
      meaning: "the redirect URI's registration demands PKCE",
      hint: "sign in through the browser"
    ),
    9002326: Entry(
      meaning: "the redirect URI is registered for a web page's app",
      hint: "register it under Mobile and desktop applications"
    ),
    9002346: Entry(
      meaning: "the app takes personal Microsoft accounts only",
      hint: "use the authority https://login.microsoftonline.com/consumers"
    ),
    9002331: Entry(
      meaning: "the app takes personal Microsoft accounts only",
      hint: "use the authority https://login.microsoftonline.com/consumers"
    ),
  ]
}
