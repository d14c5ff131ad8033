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
      let name = Self.shortNames[parts[0]] ?? parts[0]
      if Self.flags.contains(name) { continue }
      guard Self.options.contains(name) else { throw Rejection("the option \(name.printable(limit: 40)) is unknown") }
      if parts.count == 2 { values[name, default: []].append(parts[1]) } else { open = name }
    }
    if let open, values[open] == nil { throw Rejection("\(open) has no value") }
  }

  /// Rejects an option that the command would ignore.
  package func allow(_ options: String...) throws(Rejection) {
    if let other = values.keys.sorted().first(where: { !options.contains(String($0.dropFirst(2))) }) {
      throw Rejection("\(words.joined(separator: " ").printable(limit: 40)) takes no \(other)")
    }
  }

  /// The last value of an option.
  package subscript(_ option: String) -> String? { values["--" + option]?.last }

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
    let value = try self["query"].map { query throws(Rejection) in try Self.select(query[...], from: result) } ?? result
    switch self["output"] ?? "json" {
    case "json", "jsonc": return value.serializedString(JSONValue.Format(indentation: 2, sortsMembers: true))
    case "tsv": return (value.array ?? [value]).map(Self.row).joined(separator: "\n")
    case "table": return Self.table(value.array ?? [value])
    case "none": return ""
    case let format: throw Rejection("unknown --output \(format.printable(limit: 40)); use json, table, tsv or none")
    }
  }

  /// The values that are false in a condition of JMESPath.
  private static let falseValues: [JSONValue] = [.null, false, "", [], [:]]
  private static let queryRefusal = Rejection("--query takes only a, a.b, [a, b], [].a, [0].a and [?a].b")

  /// The part of JMESPath that scripts use: `a`, `a.b`, `[a, b]`, `[].a`, `[0].a` and `[?a].b`.
  private static func select(_ query: Substring, from value: JSONValue) throws(Rejection) -> JSONValue {
    if query.isEmpty { return value }
    if query.hasPrefix("[?"), let end = query.firstIndex(of: "]") {
      let condition = query[..<end].dropFirst(2)
      let elements = value.array ?? []
      let results = try elements.map { element throws(Rejection) in try select(condition, from: element) }
      let matching = zip(elements, results).filter { !falseValues.contains($1) }.map(\.0)
      return try select(("[]" + query[end...].dropFirst())[...], from: .array(matching))
    }
    if query.hasPrefix("[0]") {
      return try select(rest(of: query.dropFirst(3)), from: value.array?.first ?? .null)
    }
    if query.hasPrefix("[]") {
      guard let elements = value.array else { return .null }
      return .array(
        try elements.map { element throws(Rejection) in try select(rest(of: query.dropFirst(2)), from: element) }
      )
    }
    if query.hasPrefix("["), query.hasSuffix("]") {
      let parts = query.dropFirst().dropLast().split(separator: ",").map { $0.filter { $0 != " " } }
      return .array(try parts.map { part throws(Rejection) in try select(part[...], from: value) })
    }
    let name = query.prefix { $0 != "." }
    guard let first = name.first, !first.isNumber,
      name.utf8.allSatisfy({ $0.isASCIIAlphanumeric || "_-".utf8.contains($0) })
    else {
      throw queryRefusal
    }
    return try select(rest(of: query.dropFirst(name.count)), from: value.object?[String(name)] ?? .null)
  }

  private static func rest(of query: Substring) throws(Rejection) -> Substring {
    if query.isEmpty { return query }
    guard query.first == ".", query.count > 1 else { throw queryRefusal }
    return query.dropFirst()
  }

  private static func row(_ value: JSONValue) -> String {
    (value.object?.sorted.map(\.value) ?? value.array ?? [value]).map(plain).joined(separator: "\t")
  }

  /// Members as columns, without those that have members of their own.
  private static func table(_ values: [JSONValue]) -> String {
    let rows = values.map { value -> [(key: String, value: String)] in
      let cells = value.array?.enumerated().map { ("column\($0 + 1)", $1) } ?? [("result", value)]
      let members = value.object?.sorted.map { ($0.key, $0.value) } ?? cells
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
