import FoundationEssentials
package import MSAuthCore

/// The output of `az` and `azd`, in the shapes that SDKs and tools read.
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
      "expiresOn": .string(localTime(expiresOn, "%Y-%m-%d %H:%M:%S.000000")),
      "expires_on": .number(JSONValue.Number(expiresOn)),
      "tokenType": "Bearer",
    ]
    members["tenant"] = tenant.map { .string($0) }
    members["subscription"] = subscription.map { .string($0) }
    return members
  }

  /// `az account show`; without a subscription, as after `az login --allow-no-subscriptions`.
  package static func account(
    _ username: String,
    tenant: String,
    subscription: String?,
    cloud: String
  ) -> JSONValue.Object {
    [
      "environmentName": .string(cloud),
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

  /// An account in `az account list`.
  package static func listed(_ account: JSONValue.Object) -> JSONValue {
    var account = account
    account["cloudName"] = account.removeValue(forKey: "environmentName")
    return .object(account)
  }

  /// A version of az whose output has the shapes above.
  private static let release = "2.81.0"
  private static let telemetry = "1.1.0"

  /// `az version`.
  package static let version: JSONValue.Object = [
    "azure-cli": .string(release), "azure-cli-core": .string(release), "azure-cli-telemetry": .string(telemetry),
    "extensions": [:],
  ]

  /// `az --version`, without the lines about Python.
  package static let versionText = """
    \(line("azure-cli", release))

    \(line("core", release))
    \(line("telemetry", telemetry))
    """

  private static func line(_ name: String, _ version: String) -> String {
    name.padded(to: 40 - version.count) + version
  }

  /// `azd auth token`.
  package static func developerToken(_ token: String, expiresOn: UnixTime) -> JSONValue.Object {
    ["token": .string(token), "expiresOn": .string(Date(timeIntervalSince1970: Double(expiresOn)).formatted(.iso8601))]
  }
}
