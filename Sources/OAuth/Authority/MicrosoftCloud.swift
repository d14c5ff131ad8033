/// One of Microsoft's clouds, and the hosts that it answers under.
///
/// Built in, so that no request is needed to find tokens that another MSAL stored under another name of the same cloud.
struct MicrosoftCloud {
  /// The host of Microsoft's public cloud.
  static let publicHost = "login.microsoftonline.com"

  /// All names of its login service.
  let hosts: [String]
  /// The host of its Microsoft Graph; nil where none is known.
  let graphHost: String?

  /// All names of a host's cloud, the host's own among them; the host alone when it is none of Microsoft's.
  static func aliases(of host: String) -> [String] { cloud(of: host)?.hosts ?? [host] }

  /// Whether the host is one of Entra's.
  static func isMicrosoft(host: String) -> Bool { cloud(of: host) != nil }

  /// The cloud that answers under a host.
  static func cloud(of host: String) -> MicrosoftCloud? { all.first { $0.hosts.contains(host) } }

  /// The hosts of all clouds.
  static var allHosts: [String] { all.flatMap(\.hosts) }

  /// Microsoft Graph of the public cloud.
  static let publicGraphHost = "graph.microsoft.com"

  private static let all = [
    MicrosoftCloud(
      hosts: [publicHost, "login.windows.net", "login.microsoft.com", "sts.windows.net"],
      graphHost: publicGraphHost
    ),
    // China.
    MicrosoftCloud(
      hosts: ["login.partner.microsoftonline.cn", "login.chinacloudapi.cn"],
      graphHost: "microsoftgraph.chinacloudapi.cn"
    ),
    // Germany until 2021.
    MicrosoftCloud(hosts: ["login.microsoftonline.de"], graphHost: "graph.microsoft.de"),
    // The government of the United States.
    MicrosoftCloud(hosts: ["login.microsoftonline.us", "login.usgovcloudapi.net"], graphHost: "graph.microsoft.us"),
    MicrosoftCloud(hosts: ["login-us.microsoftonline.com"], graphHost: publicGraphHost),
    // Microsoft's own tests before production.
    MicrosoftCloud(hosts: ["login.windows-ppe.net", "sts.windows-ppe.net", "login.microsoft-ppe.com"], graphHost: nil),
    // Sovereign clouds: France, Germany, Singapore.
    MicrosoftCloud(hosts: ["login.sovcloud-identity.fr"], graphHost: nil),
    MicrosoftCloud(hosts: ["login.sovcloud-identity.de"], graphHost: nil),
    MicrosoftCloud(hosts: ["login.sovcloud-identity.sg"], graphHost: nil),
  ]
}
