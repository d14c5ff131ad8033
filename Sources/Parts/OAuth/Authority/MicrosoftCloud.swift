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
  var azure = AzureCloud.public

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
      graphHost: "microsoftgraph.chinacloudapi.cn",
      azure: .china
    ),
    MicrosoftCloud(hosts: ["login.microsoftonline.de"], graphHost: "graph.microsoft.de"),
    MicrosoftCloud(
      hosts: ["login.microsoftonline.us", "login.usgovcloudapi.net"],
      graphHost: "graph.microsoft.us",
      azure: .usGovernment
    ),
    MicrosoftCloud(hosts: ["login-us.microsoftonline.com"], graphHost: publicGraphHost),
    // Microsoft's pre-production environment.
    MicrosoftCloud(hosts: ["login.windows-ppe.net", "sts.windows-ppe.net", "login.microsoft-ppe.com"], graphHost: nil),
    MicrosoftCloud(hosts: ["login.sovcloud-identity.fr"], graphHost: nil),
    MicrosoftCloud(hosts: ["login.sovcloud-identity.de"], graphHost: nil),
    MicrosoftCloud(hosts: ["login.sovcloud-identity.sg"], graphHost: nil),
  ]
}

/// The names of Azure in one cloud, as Azure CLI has them.
package struct AzureCloud: Sendable {
  package let name: String
  /// Azure Resource Manager.
  package let management: String
  /// By Azure CLI's resource types.
  package let resources: [String: String]

  static let `public` = AzureCloud(
    name: "AzureCloud",
    management: "https://management.azure.com",
    resources: [
      "aad-graph": "https://graph.windows.net/", "arm": "https://management.core.windows.net/",
      "batch": "https://batch.core.windows.net/", "data-lake": "https://datalake.azure.net/",
      "media": "https://rest.media.azure.net", "ms-graph": "https://graph.microsoft.com/",
      "oss-rdbms": "https://ossrdbms-aad.database.windows.net",
    ]
  )
  fileprivate static let china = AzureCloud(
    name: "AzureChinaCloud",
    management: "https://management.chinacloudapi.cn",
    resources: [
      "aad-graph": "https://graph.chinacloudapi.cn/", "arm": "https://management.core.chinacloudapi.cn/",
      "batch": "https://batch.chinacloudapi.cn/", "media": "https://rest.media.chinacloudapi.cn",
      "ms-graph": "https://microsoftgraph.chinacloudapi.cn",
      "oss-rdbms": "https://ossrdbms-aad.database.chinacloudapi.cn",
    ]
  )
  fileprivate static let usGovernment = AzureCloud(
    name: "AzureUSGovernment",
    management: "https://management.usgovcloudapi.net",
    resources: [
      "aad-graph": "https://graph.windows.net/", "arm": "https://management.core.usgovcloudapi.net/",
      "batch": "https://batch.core.usgovcloudapi.net/", "media": "https://rest.media.usgovcloudapi.net",
      "ms-graph": "https://graph.microsoft.us/", "oss-rdbms": "https://ossrdbms-aad.database.usgovcloudapi.net",
    ]
  )
}

extension Authority {
  /// Azure in the authority's cloud.
  package var azureCloud: AzureCloud { MicrosoftCloud.of(host)?.azure ?? .public }

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
