internal import MSAuthCore

// Errors that an administrator's decision causes: conditional access, tenant restrictions, disabled accounts and devices.
extension AADSTS {
  private static let administrator: Hint = "ask your administrator"
  private static let condition: Hint = "ask your administrator which condition isn't met"
  private static let managedDevice: Hint =
    "ask your administrator, or sign in from a device that your organization manages"
  private static let restriction: Hint = "ask your administrator to allow the tenant, or use another authority"
  private static let browser: Hint = "ask your administrator which browser is allowed, and open the address in it"
  private static let securityDefaults: Hint =
    "sign in through the browser, since they block device codes, or ask your administrator"

  /// The policies that a broker satisfies on an enrolled device.
  static let devicePolicies: Set = [
    50005, 50097, 50129, 50187, 53000, 53001, 53003, 530_002, 530_003, 530_084,
  ]

  static let policies: [Int: Entry] = [
    50005: Meaning("a conditional access policy doesn't allow this kind of device").hint(managedDevice),
    50057: Meaning("the account is disabled").hint("ask your administrator to enable it"),
    50097: Meaning("a conditional access policy requires a registered device").hint(managedDevice),
    50129: Meaning("a conditional access policy requires a device that is registered with your organization")
      .hint(managedDevice),
    50131: Meaning("a conditional access policy blocked the sign-in, or it looked suspicious").hint(condition),
    50155: Meaning("the device couldn't be authenticated")
      .hint("ask your administrator to check the device's registration"),
    50157: Meaning("a policy requires another sign-in service, which isn't possible here").hint(administrator),
    50187: Meaning("a policy requires information about the device, which wasn't sent").hint(managedDevice),
    53000: Meaning("a conditional access policy requires a compliant device").hint(managedDevice),
    53001: Meaning("a conditional access policy requires a device joined to the organization's domain")
      .hint(managedDevice),
    53002: Meaning("a conditional access policy doesn't allow this app")
      .hint("ask your administrator to approve the app"),
    53003: Meaning("a conditional access policy blocked the sign-in").hint(condition),
    53004: Meaning("multi-factor authentication can't be set up, because the sign-in looks risky")
      .hint("ask your administrator, or enroll from a network and a device that you usually use"),
    53005: Meaning("a conditional access policy requires an app that enforces Intune's protection").hint(administrator),
    53006: Meaning("a conditional access policy blocked the sign-in").hint(condition),
    53007: Meaning("a conditional access policy blocked the sign-in").hint(condition),
    53008: Meaning("a conditional access policy doesn't allow this browser").hint(browser),
    53009: Meaning("a conditional access policy requires an app that enforces Intune's protection").hint(administrator),
    53010: Meaning("multi-factor authentication can't be set up from here")
      .hint("ask your administrator, or enroll from a network or a device that your organization trusts"),
    53011: Meaning("the user is blocked in the home tenant, because of a risk")
      .hint("ask your administrator to review the risk"),
    135_010: Meaning("the device's key isn't known in the tenant")
      .hint("ask your administrator to register the device again"),
    135_011: Meaning("the device is disabled in the tenant").hint("ask your administrator to enable the device"),
    500_021: Meaning("your network's administrator doesn't allow access to this tenant (tenant restrictions)")
      .hint(restriction),
    500_022: Meaning("your network's administrator doesn't allow access to this tenant (tenant restrictions)")
      .hint(restriction),
    500_212: Meaning("your administrator doesn't allow access to other tenants such as this one")
      .hint("ask your administrator to allow the tenant"),
    500_213: Meaning("the tenant doesn't admit accounts of yours").hint("ask the tenant's administrator to admit them"),
    530_001: Meaning("a conditional access policy doesn't allow this browser").hint(browser),
    530_002: Meaning("a conditional access policy requires a joined and registered device").hint(managedDevice),
    530_003: Meaning("a conditional access policy requires a managed device")
      .hint(
        "sign in with the browser of a managed device, or ask your administrator; such policies usually block device codes"
      ),
    530_004: Meaning("a conditional access policy requires a compliant device of another organization")
      .hint("ask your administrator to accept that organization's devices"),
    530_021: Meaning("a conditional access policy doesn't allow this app")
      .hint("ask your administrator to approve the app"),
    530_031: Meaning("a conditional access policy blocked the sign-in").hint(condition),
    530_032: Meaning("a security policy of the tenant blocked the request")
      .hint("ask your administrator which policy it is"),
    530_034: Meaning("a delegated administrator was blocked because of suspicious activity").hint(administrator),
    530_035: Meaning("the tenant's security defaults blocked the request").hint(securityDefaults),
    530_036: Meaning("the tenant's security defaults blocked the request").hint(securityDefaults),
    530_084: Meaning("a conditional access policy requires tokens that are bound to a managed device")
      .hint("ask your administrator to exempt the app from token protection"),
    5_000_211: Meaning("a tenant restriction of this device or network doesn't allow access to this tenant")
      .hint(restriction),
    5_000_224: Meaning("the tenant isn't available").hint("ask the tenant's administrator, or use another authority"),
    5_000_225: Meaning("the tenant is blocked because it wasn't used for a long time")
      .hint("ask the tenant's administrator to reactivate it, or use another authority"),
  ]
}
