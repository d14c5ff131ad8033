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
  private static let flags: Set<String> = [
    "--only-show-errors", "--no-prompt", "--verbose", "--debug", "--all", "--refresh", "--use-device-code",
    "--allow-no-subscriptions",
  ]

  package init(_ arguments: some Sequence<String>) throws(Rejection) {
    var open: String?
    // A short option's value may follow it without a space, as in -otsv.
    let separated = arguments.flatMap { word in
      let name = String(word.prefix(2))
      let isShort = Self.shortNames[name] != nil && word.count > 2 && !word.hasPrefix(name + "=")
      return isShort ? [name, String(word.dropFirst(2))] : [word]
    }
    for argument in separated {
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
      if let open, values[open] == nil { throw Rejection("\(open) has no value") }
      open = nil
      let parts = argument.split(at: "=", maxSplits: 1)
      guard let name = Self.option(parts[0]) else {
        throw Rejection("the option \(parts[0].printable(limit: 40)) is unknown")
      }
      if Self.flags.contains(name) { continue }
      if parts.count == 2 { values[name, default: []].append(parts[1]) } else { open = name }
    }
    if let open, values[open] == nil { throw Rejection("\(open) has no value") }
  }

  /// The option that has the name, or the only one whose name begins with it, as in argparse.
  private static func option(_ name: String) -> String? {
    let all = options.union(flags).union(shortNames.keys)
    let matching: Set = all.contains(name) ? [name] : all.filter { $0.hasPrefix(name) }
    let names = Set(matching.map { shortNames[$0] ?? $0 })
    return names.count == 1 ? names.first : nil
  }

  /// Rejects an option that the command would ignore.
  package func allow(_ options: String...) throws(Rejection) {
    if let other = values.keys.sorted().first(where: { !options.contains(String($0.dropFirst(2))) }) {
      throw Rejection("\(words.joined(separator: " ").printable(limit: 40)) doesn't take \(other)")
    }
  }

  /// The last value of an option; az ignores the case of formats and resource types.
  package subscript(_ option: String) -> String? {
    let value = values["--" + option]?.last
    return ["output", "resource-type"].contains(option) ? value?.lowercased() : value
  }

  package func all(_ option: String) -> [String] { values["--" + option] ?? [] }

  /// The scopes that az's options name, or else those of a resource type; empty if there are none.
  package func scopes(in cloud: AzureCloud, defaultType: String? = nil) throws(Rejection) -> [String] {
    let scopes = all("scope").flatMap { $0.split(separator: " ").map(String.init) }
    if !scopes.isEmpty { return scopes }
    let type = self["resource-type"] ?? (self["resource"] == nil ? defaultType : nil)
    let known = type.flatMap { cloud.resources[$0] }
    if type != nil, known == nil {
      throw Rejection("--resource-type takes \(cloud.resources.keys.sorted().joined(separator: ", "))")
    }
    guard let named = known ?? self["resource"] else { return [] }
    guard let resource = AzureEndpoint.resource(named) else { throw Rejection("--resource isn't a resource") }
    return [resource + "/.default"]
  }
}

// The output of az.
extension ToolArguments {
  /// The output for a result, by `--query` and `--output`.
  package func rendered(_ result: JSONValue) throws(Rejection) -> String {
    var value = Self.sorted(result)
    if let query = self["query"] { value = try ToolQuery.select(query, from: value) }
    // az prints nothing, in every format.
    if value == .null { return "" }
    switch self["output"] ?? "json" {
    case "json", "jsonc": return value.serializedString(JSONValue.Format(indentation: 2, sortsMembers: true))
    case "tsv": return (value.array ?? [value]).map(Self.row).joined(separator: "\n")
    case "table": return Self.table(value.array ?? [value])
    case "none": return ""
    case let format: throw Rejection("unknown --output \(format.printable(limit: 40)); use json, table, tsv or none")
    }
  }

  /// The value with its objects' members in az's order; a query's own objects keep the query's.
  private static func sorted(_ value: JSONValue) -> JSONValue {
    switch value {
    case .object(let members): .object(JSONValue.Object(members.sorted.map { ($0.key, sorted($0.value)) }))
    case .array(let elements): .array(elements.map(sorted))
    default: value
    }
  }

  /// A row of tsv.
  private static func row(_ value: JSONValue) -> String {
    if case .bool(let flag) = value { return flag ? "true" : "false" }
    return (value.object?.values ?? value.array ?? [value]).map { cell in
      switch cell {
      case .null: "None"
      case .array(let elements): "\(elements.count)"
      case .object: ""
      default: plain(cell)
      }
    }.joined(separator: "\t")
  }

  /// Members as columns, without those that have members of their own.
  private static func table(_ values: [JSONValue]) -> String {
    let rows = values.map { value -> [(key: String, value: String)] in
      let cells = value.array?.enumerated().map { ("column\($0 + 1)", $1) } ?? [("result", value)]
      let members = value.object?.map { ($0.key, $0.value) } ?? cells
      return members.filter { $1.object == nil && $1.array == nil }.map { ($0, plain($1)) }
    }
    guard let titles = rows.first?.map(\.key), !titles.isEmpty else { return "" }
    let heads = titles.map { $0.prefix(1).uppercased() + $0.dropFirst() }
    let lines = [heads] + rows.map { $0.map(\.value) }
    let widths = titles.indices.map { column in lines.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
    let rule = widths.map { String(repeating: "-", count: $0) }
    let table = ([lines[0], rule] + lines.dropFirst()).map { line in
      zip(line, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  ")
    }
    return table.joined(separator: "\n")
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
