package import MSAuth

/// Azure's names in one cloud, as in Azure CLI.
package struct AzureCloud: Sendable {
  package let name: String
  /// The URL of Azure Resource Manager.
  package let management: String
  /// The resources by Azure CLI's types.
  package let resources: [String: String]

  package var managementScope: String { Scopes.default(of: management) }

  fileprivate static let `public` = AzureCloud(
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
  package var azureCloud: AzureCloud {
    switch cloud {
    case .china: .china
    case .usGovernment: .usGovernment
    default: .public
    }
  }
}
