import FoundationEssentials
import MSAuth

/// The header fields that repeat parts of a message (Streamable HTTP of 2026-07-28, "Request Metadata").
struct MCPHeaders: Sendable {
  /// The annotated parameters of the tools that were listed: path and name.
  private var parameters: [String: [(path: [String], name: String)]] = [:]

  /// Reads the annotations in the response to `tools/list`; returns the indices of the tools with an invalid one, which
  /// clients must not see.
  mutating func learn(from response: MCPMessage) -> [Int] {
    var invalid: [Int] = []
    for (index, tool) in (response.members["result"]?["tools"]?.array ?? []).enumerated() {
      guard let name = tool["name"]?.string else { continue }
      var found: [(path: [String], name: String)] = []
      let isValid = tool["inputSchema"].map { Self.collect($0, [], &found) } ?? true
      // Two fields of one name could contradict each other.
      let isAmbiguous = Set(found.map { $0.name.lowercased() }).count < found.count
      if !isValid || isAmbiguous { invalid.append(index) }
      parameters[name] = found.isEmpty || !isValid || isAmbiguous ? nil : found
    }
    return invalid
  }

  /// Returns false at an invalid annotation; `path` is nil where no argument has a fixed path.
  private static func collect(
    _ schema: JSONValue,
    _ path: [String]?,
    _ found: inout [(path: [String], name: String)]
  ) -> Bool {
    for item in schema.array ?? [] where !collect(item, nil, &found) { return false }
    for (keyword, value) in schema.object ?? [:] {
      switch keyword {
      case "x-mcp-header":
        guard let path, !path.isEmpty, let name = value.string, !name.isEmpty,
          name.utf8.allSatisfy(\.isHTTPTokenCharacter), isPrimitive(schema["type"])
        else { return false }
        found.append((path, name))
      case "properties":
        for (name, property) in value.object ?? [:] {
          guard collect(property, path.map { $0 + [name] }, &found) else { return false }
        }
      // Values, not schemas.
      case "const", "default", "enum", "examples": break
      default: guard collect(value, nil, &found) else { return false }
      }
    }
    return true
  }

  /// Whether an argument of the type can be a field's value; a schema without a type may have alternatives.
  private static func isPrimitive(_ type: JSONValue?) -> Bool {
    guard let type else { return true }
    let types = Set(type.array ?? [type]).subtracting(["null"])
    return !types.isEmpty && types.isSubset(of: ["string", "integer", "boolean"])
  }

  func fields(for message: MCPMessage) -> [(name: String, value: String)] {
    guard message.protocolVersion != nil, let method = message.method else { return [] }
    let params = message.members["params"]
    var fields = [("Mcp-Method", Self.encoded(method))]
    if let name = (params?["name"] ?? params?["uri"])?.string { fields.append(("Mcp-Name", Self.encoded(name))) }
    guard method == "tools/call", let tool = params?["name"]?.string else { return fields }
    for (path, name) in parameters[tool] ?? [] {
      let value = path.reduce(params?["arguments"]) { $0?[$1] }
      let text: String? =
        switch value {
        case .string(let text): text
        case .number, .bool: value?.serializedString()
        default: nil
        }
      if let text { fields.append(("Mcp-Param-" + name, Self.encoded(text))) }
    }
    return fields
  }

  /// Encodes a value in Base64 if it isn't a plain field value or looks encoded.
  private static func encoded(_ text: String) -> String {
    let isPlain =
      !text.isEmpty && text.utf8.allSatisfy { (0x20...0x7E).contains($0) } && text.first != " " && text.last != " "
      && !(text.hasPrefix("=?base64?") && text.hasSuffix("?="))
    return isPlain ? text : "=?base64?\(Data(text.utf8).base64EncodedString())?="
  }
}
