import Core

extension AADSTS {
  /// By number.
  static let entries: [Int: Entry] = [
    16000: Entry(
      meaning: "several accounts are signed in and none was chosen, or the account is not in this tenant",
      remedy: .chooseAccount
    ),
    50011: Entry(
      meaning: "the redirect URI is not registered for this app",
      advice:
        "register `http://localhost` under Authentication, Mobile and desktop applications, or use the redirect URI that is registered"
    ),
    50020: Entry(
      meaning: "the account belongs to another directory and is not a guest in this one",
      advice: "sign in with an account of this tenant, ask for a guest invitation, or use another authority"
    ),
    50034: Entry(
      meaning: "the account does not exist in this directory",
      advice: "check the username, and that the authority names the account's tenant"
    ),
    50053: Entry(
      meaning: "the account is locked after too many failed sign-ins, or the address is blocked",
      advice: "wait some minutes, then sign in again, or ask your administrator"
    ),
    50055: Entry(
      meaning: "the password has expired",
      remedy: .signIn(then: "set a new password in the browser")
    ),
    50057: Entry(
      meaning: "the account is disabled",
      advice: "ask your administrator to enable it"
    ),
    50058: Entry(
      meaning: "nobody is signed in in the browser, so a sign-in without a page is not possible",
      advice: "sign in without prompt=none"
    ),
    50059: Entry(
      meaning: "nothing in the request names the tenant",
      advice: "name the tenant in the authority"
    ),
    50076: Entry(
      meaning: "multi-factor authentication is required",
      remedy: .signIn(then: "complete it in the browser")
    ),
    50078: Entry(
      meaning: "the multi-factor authentication has expired",
      remedy: .signIn(then: "complete it again in the browser")
    ),
    50079: Entry(
      meaning: "the account must be enrolled for multi-factor authentication",
      remedy: .signIn(then: "enrol in the browser")
    ),
    50105: Entry(
      meaning: "the account is not assigned to this app",
      advice: "ask the app's administrator to assign it under Enterprise applications, Users and groups"
    ),
    50126: Entry(
      meaning: "the username or the password is wrong",
      remedy: .signIn()
    ),
    50128: Entry(
      meaning: "the domain names no tenant",
      advice: "check the tenant in the authority"
    ),
    50140: Entry(
      meaning: "the sign-in was interrupted by the question whether to stay signed in",
      remedy: .signIn()
    ),
    50142: Entry(
      meaning: "a conditional access policy demands a new password",
      remedy: .signIn(then: "change the password in the browser")
    ),
    50158: Entry(
      meaning: "another security check outside of Entra is required",
      remedy: .signIn(then: "complete it in the browser")
    ),
    50173: Entry(
      meaning: "the sign-in was revoked, for instance by a change of password",
      remedy: .signIn()
    ),
    50194: Entry(
      meaning: "the app is registered for one tenant and cannot be used through /common",
      advice: "name the tenant, as in https://login.microsoftonline.com/<tenant>"
    ),
    50196: Entry(
      meaning: "the same request was sent too often",
      advice: "wait some minutes before the next try, and look for a loop in the calling script"
    ),
    53000: Entry(
      meaning: "a conditional access policy demands a compliant device",
      advice: "enrol the device with your organization, or sign in from one that is"
    ),
    53001: Entry(
      meaning: "a conditional access policy demands a device joined to the organization's domain",
      advice: "sign in from such a device, or ask your administrator"
    ),
    53003: Entry(
      meaning: "a conditional access policy blocked the sign-in",
      advice: "ask your administrator which condition is missing; the browser's page has the details"
    ),
    65001: Entry(
      meaning: "nobody has consented to what the app asks for",
      remedy: .consent()
    ),
    65004: Entry(
      meaning: "the consent was declined",
      remedy: .signIn(then: "accept, or ask for fewer scopes")
    ),
    65005: Entry(
      meaning: "the app asks for a permission that its registration does not list",
      advice: "add the permission under API permissions, or ask for other scopes"
    ),
    70000: Entry(
      meaning: "the grant is not valid, or the scopes asked for were not granted",
      advice: "sign in again with the scopes that you need"
    ),
    70002: Entry(
      meaning: "the app's registration does not take this kind of request",
      advice: "set \"Allow public client flows\" to Yes under Authentication"
    ),
    70008: Entry(
      meaning: "the refresh token or the code has expired",
      remedy: .signIn()
    ),
    70011: Entry(
      meaning: "a scope is not valid",
      advice: "check the spelling, and do not mix `/.default` with single scopes"
    ),
    70016: Entry(
      meaning: "the device code is waiting for the person",
      advice: "open the page, enter the code and sign in"
    ),
    70019: Entry(
      meaning: "the device code has expired",
      advice: "start again and enter the code in time"
    ),
    70043: Entry(
      meaning: "the refresh token has expired by the sign-in frequency that a policy sets",
      remedy: .signIn()
    ),
    70044: Entry(
      meaning: "the session has expired by the sign-in frequency that a policy sets",
      remedy: .signIn()
    ),
    90002: Entry(
      meaning: "the tenant does not exist",
      advice: "check the tenant's name or ID in the authority, and that it is in this cloud"
    ),
    90008: Entry(
      meaning: "nobody has consented to the app's access to its own resource",
      advice: "add the permission `User.Read` of Microsoft Graph to the app's registration"
    ),
    90072: Entry(
      meaning: "the account comes from another provider and is not in this tenant",
      advice: "add the account to the tenant as a guest, or sign out and use another account"
    ),
    90094: Entry(
      meaning: "an administrator must consent",
      remedy: .adminConsent()
    ),
    90095: Entry(
      meaning: "an administrator must approve; the request for it was sent or can be sent in the browser",
      advice: "wait for the approval, then sign in again"
    ),
    90099: Entry(
      meaning: "the app was not yet authorized in this tenant",
      advice: "let somebody of the tenant sign in and consent first"
    ),
    500011: Entry(
      meaning: "the resource that a scope names does not exist in this tenant",
      advice: "check the scope's first part, and that the authority names the right tenant"
    ),
    500113: Entry(
      meaning: "no redirect URI is registered for this app",
      advice: "register `http://localhost` under Authentication, Mobile and desktop applications"
    ),
    530002: Entry(
      meaning: "a conditional access policy demands a device that is joined and known",
      advice: "enrol the device with your organization, or sign in from one that is"
    ),
    530003: Entry(
      meaning: "a conditional access policy demands a device that the organization manages",
      advice: "sign in with the browser of a managed device; a device code is usually blocked by such policies"
    ),
    700003: Entry(
      meaning: "the device was not found in the tenant",
      advice: "enrol the device with your organization again"
    ),
    700016: Entry(
      meaning: "the app is not registered in this tenant",
      advice: "check the client ID, and that the authority names the tenant where the app is registered"
    ),
    700038: Entry(
      meaning: "the client ID is all zeros",
      advice: "give the app's own client ID"
    ),
    700054: Entry(
      meaning: "the app's registration does not allow this kind of response",
      advice: "register the redirect URI under Mobile and desktop applications, not under Web"
    ),
    700082: Entry(
      meaning: "the refresh token has expired because it was not used for long",
      remedy: .signIn()
    ),
    700084: Entry(
      meaning: "the refresh token was given to a web page's app and has expired",
      advice: "register the redirect URI under Mobile and desktop applications, then sign in again"
    ),
    900439: Entry(
      meaning: "the account or the app belongs to another national cloud",
      advice:
        "name that cloud's authority, or set \"multiple_clouds_supported\" to true in the configuration, if the app is registered in both"
    ),
    7000112: Entry(
      meaning: "the app is disabled",
      advice: "ask the app's owner"
    ),
    7000218: Entry(
      meaning: "the app is registered as one with a secret",
      advice:
        "set \"Allow public client flows\" to Yes under Authentication, and register `http://localhost` for desktop"
    ),
    9002313: Entry(
      meaning: "the request is malformed, or the code was already used",
      advice: "sign in again; if it fails again, look at the request's parameters in a verbose log"
    ),
    9002325: Entry(
      meaning: "the redirect URI's registration demands PKCE",
      remedy: .signInWithBrowser
    ),
    9002326: Entry(
      meaning: "the redirect URI is registered for a web page's app",
      advice: "register it under Mobile and desktop applications"
    ),
    9002346: Entry(
      meaning: "the app takes personal Microsoft accounts only",
      advice: "use the authority https://login.microsoftonline.com/consumers"
    ),
    9002331: Entry(
      meaning: "the app takes personal Microsoft accounts only",
      advice: "use the authority https://login.microsoftonline.com/consumers"
    ),
  ]
}
