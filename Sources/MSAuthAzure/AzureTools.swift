import FoundationEssentials
package import MSAuthCore

/// The arguments of `az`, `azd` and `keyring`, as far as SDKs and tools pass them.
package struct ToolArguments: Sendable {
  /// The command, such as `account` and `show`.
  package private(set) var words: [String] = []
  private var values: [String: [String]] = [:]

  private static let shortNames = [
    "-o": "--output", "-s": "--subscription", "-t": "--tenant", "-n": "--subscription", "--name": "--subscription",
    "--tenant-id": "--tenant",
  ]
  private static let options: Set<String> = [
    "--output", "--subscription", "--tenant", "--resource", "--resource-type", "--scope", "--query", "--claims",
    "--mode",
  ]
  private static let flags: Set<String> = ["--only-show-errors", "--no-prompt", "--verbose", "--debug"]

  package init(_ arguments: some Sequence<String>) throws(Refusal) {
    var open: String?
    for argument in arguments {
      guard argument.hasPrefix("-") else {
        if let option = open {
          values[option, default: []].append(argument)
          // az's --scope takes several values.
          if option != "--scope" { open = nil }
        } else {
          words.append(argument)
        }
        continue
      }
      if let open, values[open] == nil { throw Refusal("\(open) has no value") }
      open = nil
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let name = Self.shortNames[parts[0]] ?? parts[0]
      if Self.flags.contains(name) { continue }
      guard Self.options.contains(name) else { throw Refusal("the option \(name.printable(limit: 40)) is unknown") }
      if parts.count == 2 { values[name, default: []].append(parts[1]) } else { open = name }
    }
    if let open, values[open] == nil { throw Refusal("\(open) has no value") }
  }

  /// Refuses an option that the command would ignore.
  package func allow(_ options: String...) throws(Refusal) {
    if let other = values.keys.sorted().first(where: { !options.contains(String($0.dropFirst(2))) }) {
      throw Refusal("\(words.joined(separator: " ").printable(limit: 40)) takes no \(other)")
    }
  }

  /// The last value of an option.
  package subscript(_ option: String) -> String? { values["--" + option]?.last }

  package func all(_ option: String) -> [String] { values["--" + option] ?? [] }
}

// The output of az.
extension ToolArguments {
  /// The output for a result, by `--query NAME` and `--output`.
  package func rendered(_ result: JSONValue.Object) throws(Refusal) -> String {
    var value = JSONValue.object(result)
    if let query = self["query"] {
      guard query.utf8.allSatisfy({ $0.isASCIIAlphanumeric || "_-".utf8.contains($0) }) else {
        throw Refusal("--query takes the name of one member")
      }
      value = result[query] ?? .null
    }
    switch self["output"] ?? "json" {
    case "json", "jsonc": return value.serializedString(JSONValue.Format(indentation: 2, sortsMembers: true))
    case "tsv": return (value.object?.sorted.map(\.value) ?? [value]).map(Self.plain).joined(separator: "\t")
    case "none": return ""
    case let format: throw Refusal("unknown --output \(format.printable(limit: 40)); use json, tsv or none")
    }
  }

  private static func plain(_ value: JSONValue) -> String {
    switch value {
    case .string(let text): text
    case .null: ""
    case .bool(let flag): flag ? "True" : "False"
    default: value.serializedString()
    }
  }
}

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
      "expiresOn": .string(localTime(expiresOn, "%Y-%m-%d %H:%M:%S.000000")),
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

  package static func developerToken(_ token: String, expiresOn: UnixTime) -> JSONValue.Object {
    ["token": .string(token), "expiresOn": .string(Date(timeIntervalSince1970: Double(expiresOn)).formatted(.iso8601))]
  }
}
