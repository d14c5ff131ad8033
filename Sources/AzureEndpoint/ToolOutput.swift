import FoundationEssentials
import Glibc
package import MSAuthCore

/// What `az` and `azd` print, in the shapes that SDKs and tools read.
package enum ToolOutput {
  /// `az account get-access-token`.
  package static func accessToken(
    _ token: String,
    expiresOn: UnixTime,
    tenant: String?,
    subscription: String?
  ) -> JSONValue.Object {
    var members: JSONValue.Object = [
      "accessToken": .string(token),
      // .NET requires six digits after the point.
      "expiresOn": .string(localTime(expiresOn) + ".000000"),
      "expires_on": .number(JSONValue.Number(expiresOn)),
      "tokenType": "Bearer",
    ]
    members["tenant"] = tenant.map { .string($0) }
    members["subscription"] = subscription.map { .string($0) }
    return members
  }

  /// `az account show`; without a subscription, as after `az login --allow-no-subscriptions`.
  package static func account(_ username: String, tenant: String, subscription: String?) -> JSONValue.Object {
    [
      "environmentName": "AzureCloud",
      "homeTenantId": .string(tenant),
      "id": .string(subscription ?? tenant),
      "isDefault": true,
      "managedByTenants": [],
      "name": .string(subscription ?? "N/A(tenant level account)"),
      "state": "Enabled",
      "tenantId": .string(tenant),
      "user": ["name": .string(username), "type": "user"],
    ]
  }

  /// `az version`: a version whose commands all have the shapes above.
  package static let version: JSONValue.Object = [
    "azure-cli": "2.81.0", "azure-cli-core": "2.81.0", "azure-cli-telemetry": "1.1.0", "extensions": [:],
  ]

  /// `azd auth token`.
  package static func developerToken(_ token: String, expiresOn: UnixTime) -> JSONValue.Object {
    ["token": .string(token), "expiresOn": .string(Date(timeIntervalSince1970: Double(expiresOn)).formatted(.iso8601))]
  }

  private static func localTime(_ time: UnixTime) -> String {
    var (seconds, parts) = (time_t(time), tm())
    localtime_r(&seconds, &parts)
    var buffer = [CChar](repeating: 0, count: 40)
    let count = strftime(&buffer, buffer.count, "%Y-%m-%d %H:%M:%S", &parts)
    return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
