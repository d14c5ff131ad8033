package import MSAuthCore

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
      zip(line, widths).map { $0.padded(to: $1) }.joined(separator: "  ")
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
