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

  /// The value of an option; of several the last counts.
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
    case let format: throw Refusal("--output \(format.printable(limit: 40)) is unknown; json, tsv and none are known")
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
