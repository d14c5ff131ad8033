import MSAuthCore

/// One of Microsoft's clouds.
///
/// Built in, so that no request is needed to find tokens that another MSAL stored under another name of the same cloud.
struct MicrosoftCloud {
  static let publicHost = "login.microsoftonline.com"
  static let publicGraphHost = "graph.microsoft.com"

  /// All names of its login service.
  let hosts: [String]
  /// The host of its Microsoft Graph; nil where none is known.
  let graphHost: String?

  /// The cloud that a host belongs to; nil if it is not one of Microsoft's.
  static func of(_ host: String) -> MicrosoftCloud? { all.first { $0.hosts.contains(host) } }

  static var allHosts: [String] { all.flatMap(\.hosts) }

  fileprivate static let all = [
    MicrosoftCloud(
      hosts: [publicHost, "login.windows.net", "login.microsoft.com", "sts.windows.net"],
      graphHost: publicGraphHost
    ),
    MicrosoftCloud(
      hosts: ["login.partner.microsoftonline.cn", "login.chinacloudapi.cn"],
      graphHost: "microsoftgraph.chinacloudapi.cn"
    ),
    MicrosoftCloud(hosts: ["login.microsoftonline.de"], graphHost: "graph.microsoft.de"),
    MicrosoftCloud(
      hosts: ["login.microsoftonline.us", "login.usgovcloudapi.net"],
      graphHost: "graph.microsoft.us"
    ),
    MicrosoftCloud(hosts: ["login-us.microsoftonline.com"], graphHost: publicGraphHost),
    // Microsoft's pre-production environment.
    MicrosoftCloud(hosts: ["login.windows-ppe.net", "sts.windows-ppe.net", "login.microsoft-ppe.com"], graphHost: nil),
    MicrosoftCloud(hosts: ["login.sovcloud-identity.fr"], graphHost: nil),
    MicrosoftCloud(hosts: ["login.sovcloud-identity.de"], graphHost: nil),
    MicrosoftCloud(hosts: ["login.sovcloud-identity.sg"], graphHost: nil),
  ]
}

extension Authority {
  /// Whether a scope or resource is Microsoft Graph's, in any cloud.
  package static func isGraph(_ resource: String) -> Bool {
    let host = (try? WebURL(resource))?.host
    return host == "dod-graph.microsoft.us" || host != nil && MicrosoftCloud.all.contains { $0.graphHost == host }
  }

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
    /// Accounts of one tenant and its guests: the tenant's ID or domain name.
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
