extension Authority {
  /// Microsoft's clouds (MSAL: `MSALAzureCloudInstance`).
  public enum Cloud: String, Sendable, CaseIterable {
    /// The public cloud.
    case `public` = "login.microsoftonline.com"
    /// China.
    case china = "login.chinacloudapi.cn"
    /// Germany until 2021.
    case germany = "login.microsoftonline.de"
    /// The government of the United States.
    case usGovernment = "login.microsoftonline.us"
    /// France's sovereign cloud.
    case france = "login.sovcloud-identity.fr"
    /// Germany's sovereign cloud, Delos.
    case delos = "login.sovcloud-identity.de"
    /// The sovereign cloud of Singapore's government.
    case singapore = "login.sovcloud-identity.sg"

    /// The host of its authorities.
    public var host: String { rawValue }
  }

  /// Which Microsoft accounts may sign in (MSAL: `MSALAudienceType`).
  public enum Audience: Sendable, Hashable {
    /// Work, school and personal accounts: `common`.
    case workSchoolAndPersonal
    /// Work and school accounts of any tenant: `organizations`.
    case workAndSchool
    /// Personal accounts: `consumers`.
    case personal
    /// Accounts of one tenant, and guests that it knows: the tenant's ID or domain name.
    case tenant(String)

    /// The path segment of an authority's URL that names it.
    package var segment: String {
      switch self {
      case .workSchoolAndPersonal: "common"
      case .workAndSchool: "organizations"
      case .personal: "consumers"
      case .tenant(let tenant): tenant
      }
    }
  }
}
