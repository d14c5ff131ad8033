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
    "sign in through the browser, since security defaults block device codes, or ask your administrator"

  /// The policies that a broker satisfies on an enrolled device.
  static let devicePolicies: Set = [50005, 50097, 50129, 50187, 53000, 53001, 53003, 530_002, 530_003, 530_084]

  static let policies: [Int: Entry] = [
    50005: Entry("a conditional access policy doesn't allow this kind of device", managedDevice),
    50057: Entry("the account is disabled", "ask your administrator to enable it"),
    50097: Entry("a conditional access policy requires a registered device", managedDevice),
    50129: Entry("a conditional access policy requires a device registered with your organization", managedDevice),
    50131: Entry("a conditional access policy blocked the sign-in, or it looked suspicious", condition),
    50155: Entry("the device couldn't be authenticated", "ask your administrator to check the device's registration"),
    50157: Entry("a policy requires another sign-in service, which isn't possible here", administrator),
    50187: Entry("a policy requires information about the device, which wasn't sent", managedDevice),
    53000: Entry("a conditional access policy requires a compliant device", managedDevice),
    53001: Entry("a conditional access policy requires a device joined to the organization's domain", managedDevice),
    53002: Entry("a conditional access policy doesn't allow this app", "ask your administrator to approve the app"),
    53003: Entry("a conditional access policy blocked the sign-in", condition),
    53004: Entry(
      "multi-factor authentication can't be set up, because the sign-in looks risky",
      "ask your administrator, or enroll from a network and a device that you usually use"
    ),
    53005: Entry("a conditional access policy requires an app that enforces Intune's protection", administrator),
    53008: Entry("a conditional access policy doesn't allow this browser", browser),
    53010: Entry(
      "multi-factor authentication can't be set up from here",
      "ask your administrator, or enroll from a network or a device that your organization trusts"
    ),
    53011: Entry("a risk blocks the user in the home tenant", "ask your administrator to review the risk"),
    135_010: Entry("the device's key isn't known in the tenant", "ask your administrator to register the device again"),
    135_011: Entry("the device is disabled in the tenant", "ask your administrator to enable the device"),
    500_021: Entry("your network's administrator blocks this tenant (tenant restrictions)", restriction),
    500_212: Entry("your administrator doesn't allow access to other tenants", "ask your administrator to allow it"),
    500_213: Entry("the tenant doesn't admit your organization's users", "ask the tenant's administrator to admit you"),
    530_002: Entry("a conditional access policy requires a joined and registered device", managedDevice),
    530_003: Entry(
      "a conditional access policy requires a managed device",
      "sign in with the browser of a managed device, or ask your administrator; such policies usually block device codes"
    ),
    530_004: Entry(
      "a conditional access policy requires a compliant device of another organization",
      "ask your administrator to accept that organization's devices"
    ),
    530_032: Entry("a security policy of the tenant blocked the request", "ask your administrator which policy it is"),
    530_034: Entry("a delegated administrator was blocked because of suspicious activity", administrator),
    530_035: Entry("the tenant's security defaults blocked the request", securityDefaults),
    530_084: Entry(
      "a conditional access policy requires tokens that are bound to a managed device",
      "ask your administrator to exempt the app from token protection"
    ),
    5_000_211: Entry("a tenant restriction of this device or network doesn't allow access to this tenant", restriction),
    5_000_224: Entry("the tenant isn't available", "ask the tenant's administrator, or use another authority"),
    5_000_225: Entry(
      "the tenant is blocked because it wasn't used for a long time",
      "ask the tenant's administrator to reactivate it, or use another authority"
    ),
  ]
}
