import MSAuthCore

/// One of Microsoft's clouds.
///
/// Built in: tokens that another MSAL stored under another name of the cloud must be found without a request.
struct MicrosoftCloud {
  static let publicHost = Authority.Cloud.public.host
  static let publicGraphHost = "graph.microsoft.com"

  /// All names of its login service.
  let hosts: [String]
  /// The host of its Microsoft Graph; `nil` where none is known.
  let graphHost: String?

  /// The cloud that a host belongs to; `nil` if it is not one of Microsoft's.
  static func of(_ host: String) -> MicrosoftCloud? { all.first { $0.hosts.contains(host) } }

  static var allHosts: [String] { all.flatMap(\.hosts) }

  /// Microsoft Graph's hosts in all clouds, also that of the Department of Defense, which shares a login service.
  static let graphHosts = all.compactMap(\.graphHost) + ["dod-graph.microsoft.us"]

  static let all = [
    MicrosoftCloud(
      hosts: [publicHost, "login.windows.net", "login.microsoft.com", "sts.windows.net"],
      graphHost: publicGraphHost
    ),
    MicrosoftCloud(
      hosts: ["login.partner.microsoftonline.cn", Authority.Cloud.china.host],
      graphHost: "microsoftgraph.chinacloudapi.cn"
    ),
    MicrosoftCloud(hosts: [Authority.Cloud.germany.host], graphHost: "graph.microsoft.de"),
    MicrosoftCloud(
      hosts: [Authority.Cloud.usGovernment.host, "login.usgovcloudapi.net"],
      graphHost: "graph.microsoft.us"
    ),
    MicrosoftCloud(hosts: ["login-us.microsoftonline.com"], graphHost: publicGraphHost),
    // Microsoft's pre-production environment.
    MicrosoftCloud(hosts: ["login.windows-ppe.net", "sts.windows-ppe.net", "login.microsoft-ppe.com"], graphHost: nil),
    MicrosoftCloud(hosts: [Authority.Cloud.france.host], graphHost: nil),
    MicrosoftCloud(hosts: [Authority.Cloud.delos.host], graphHost: nil),
    MicrosoftCloud(hosts: [Authority.Cloud.singapore.host], graphHost: nil),
  ]
}
