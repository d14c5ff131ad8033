/// Microsoft's clouds and the hosts that each of them answers under.
///
/// Built in, so that no request is needed to find tokens that another MSAL stored under another name of the same cloud.
enum Cloud {
  /// The host of Microsoft's public cloud.
  static let publicHost = "login.microsoftonline.com"

  /// All names of a host's cloud, the host's own among them; the host alone when it is none of Microsoft's.
  static func aliases(of host: String) -> [String] {
    clouds.first { $0.contains(host) } ?? [host]
  }

  /// Whether the host is one of Entra's.
  static func isMicrosoft(host: String) -> Bool { clouds.contains { $0.contains(host) } }

  /// The hosts of all clouds.
  static var allHosts: [String] { clouds.flatMap(\.self) }

  private static let clouds = [
    [publicHost, "login.windows.net", "login.microsoft.com", "sts.windows.net"],
    // China.
    ["login.partner.microsoftonline.cn", "login.chinacloudapi.cn"],
    // Germany until 2021.
    ["login.microsoftonline.de"],
    // The government of the United States.
    ["login.microsoftonline.us", "login.usgovcloudapi.net"],
    ["login-us.microsoftonline.com"],
    // Microsoft's own tests before production.
    ["login.windows-ppe.net", "sts.windows-ppe.net", "login.microsoft-ppe.com"],
    // Sovereign clouds: France, Germany, Singapore.
    ["login.sovcloud-identity.fr"],
    ["login.sovcloud-identity.de"],
    ["login.sovcloud-identity.sg"],
  ]
}
