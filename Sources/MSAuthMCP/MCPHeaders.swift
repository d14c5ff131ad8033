import FoundationEssentials
import MSAuth

/// The header fields that repeat parts of a message (Streamable HTTP of 2026-07-28, "Request Metadata").
struct MCPHeaders: Sendable {
  /// The annotated parameters of the tools that were listed: path and name.
  private var parameters: [String: [(path: [String], name: String)]] = [:]

  /// Reads the annotations in the response to `tools/list`.
  mutating func readAnnotations(in response: MCPMessage) {
    for tool in response.members["result"]?["tools"]?.array ?? [] {
      guard let name = tool["name"]?.string else { continue }
      var found: [(path: [String], name: String)] = []
      Self.collect(tool["inputSchema"], [], &found)
      // Two fields with one name could contradict each other, so the tool is invalid.
      let isAmbiguous = Set(found.map { $0.name.lowercased() }).count < found.count
      parameters[name] = found.isEmpty || isAmbiguous ? nil : found
    }
  }

  private static func collect(
    _ schema: JSONValue?,
    _ path: [String],
    _ found: inout [(path: [String], name: String)]
  ) {
    guard path.count < 16 else { return }
    for (name, property) in schema?["properties"]?.object ?? [:] {
      let path = path + [name]
      if let header = property["x-mcp-header"]?.string, !header.isEmpty, header.utf8.allSatisfy(\.isHTTPTokenCharacter)
      {
        found.append((path, header))
      }
      collect(property, path, &found)
    }
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
