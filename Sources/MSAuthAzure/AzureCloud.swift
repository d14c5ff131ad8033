package import MSAuth

/// A cloud as the Azure CLI knows it.
package struct AzureCloud: Sendable, Equatable {
  /// As in `az cloud list`.
  package let name: String
  /// The scope of Azure Resource Manager's tokens.
  package let managementScope: String
  /// The resource for which `az` gets tokens if none is named.
  package let managementResource: String

  package init(of authority: Authority) {
    let hosts = authority.environmentAliases
    let clouds: [(cloud: Authority.Cloud, name: String, domain: String)] = [
      (.usGovernment, "AzureUSGovernment", "usgovcloudapi.net"), (.china, "AzureChinaCloud", "chinacloudapi.cn"),
    ]
    guard let found = clouds.first(where: { hosts.contains($0.cloud.host) }) else {
      (name, managementScope) = ("AzureCloud", "https://management.azure.com/.default")
      managementResource = "https://management.core.windows.net/"
      return
    }
    (name, managementScope) = (found.name, "https://management.\(found.domain)/.default")
    managementResource = "https://management.core.\(found.domain)/"
  }
}
