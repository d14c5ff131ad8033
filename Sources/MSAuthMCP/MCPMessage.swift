import FoundationEssentials
import MSAuth

/// A JSON-RPC message, whose bytes are forwarded unchanged.
struct MCPMessage: Sendable {
  /// Larger than any tool's result that a model can read.
  static let maximumSize = 16 << 20

  /// Without line breaks, which only appear between JSON's tokens.
  let bytes: [UInt8]
  /// Empty for a batch.
  let members: JSONValue.Object
  let responseIDs: [JSONValue]

  init?(_ bytes: [UInt8]) {
    let options = JSONValue.Options(
      maximumSize: Self.maximumSize,
      maximumDepth: 128,
      maximumMembers: 2_000_000,
      isLenient: true
    )
    guard let value = try? JSONValue(parsing: bytes, options: options) else { return nil }
    guard let messages = value.array ?? (value.object == nil ? nil : [value]) else { return nil }
    self.bytes = bytes.filter { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    members = value.object ?? [:]
    responseIDs = messages.compactMap { $0["method"] == nil ? $0["id"] : nil }
  }

  /// The ID of a request that isn't a message, such as one that is too deep, so that its client doesn't wait for ever.
  static func id(in line: [UInt8]) -> JSONValue {
    var (depth, start) = (0, 0)
    var (isText, isEscaped) = (false, false)
    for (index, byte) in line.enumerated() {
      if isText {
        (isText, isEscaped) = (isEscaped || byte != UInt8(ascii: "\""), !isEscaped && byte == UInt8(ascii: "\\"))
        continue
      }
      let isEnd = depth == 1 && (byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}"))
      if isEnd, index - start < 256,
        let id = (try? JSONValue(parsing: "{".utf8 + line[start..<index] + "}".utf8))?["id"]
      {
        return id
      }
      switch byte {
      case UInt8(ascii: "\""): isText = true
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
      if isEnd || depth == 1 && byte == UInt8(ascii: "{") { start = index + 1 }
    }
    return .null
  }

  var method: String? { members["method"]?.string }
  /// The ID of a request; nil for a notification or a response.
  var requestID: JSONValue? { method == nil ? nil : members["id"] }
  var isInitialize: Bool { method == "initialize" }

  /// The revision that a message of 2026-07-28 or later names.
  var protocolVersion: String? { members["params"]?["_meta"]?["io.modelcontextprotocol/protocolVersion"]?.string }

  /// The ID of the request that a notification cancels.
  var canceledID: JSONValue? {
    method == "notifications/cancelled" ? members["params"]?["requestId"] : nil
  }

  /// A request for a page of the server's tools, from the client that made a request.
  static func toolList(for request: MCPMessage, from cursor: JSONValue?) -> MCPMessage {
    var params: JSONValue.Object = [:]
    params["_meta"] = request.members["params"]?["_meta"]
    params["cursor"] = cursor
    return MCPMessage(
      members: ["jsonrpc": "2.0", "id": "msauth-tools", "method": "tools/list", "params": .object(params)],
      responseIDs: []
    )
  }

  static func error(_ id: JSONValue, code: Int64, _ message: String) -> MCPMessage {
    error(id, ["code": .number(JSONValue.Number(code)), "message": .string(message)])
  }

  static func error(_ id: JSONValue, _ error: JSONValue) -> MCPMessage {
    let members: JSONValue.Object = ["jsonrpc": "2.0", "id": id, "error": error]
    return MCPMessage(members: members, responseIDs: [id])
  }

  private init(members: JSONValue.Object, responseIDs: [JSONValue]) {
    (self.members, self.responseIDs) = (members, responseIDs)
    bytes = JSONValue.object(members).serialized()
  }
}

extension JSONValue {
  /// A message's ID for comparison: some servers return `20.0` or `"20"` for `20`, which clients accept.
  var messageID: String {
    if case .number(let number) = self, let integer = number.integer { return String(integer) }
    return string ?? serializedString()
  }
}

/// The header fields that repeat parts of a message (Streamable HTTP of 2026-07-28, "Request Metadata").
struct MCPHeaders: Sendable {
  /// The annotated parameters of the tools that were listed: path and name.
  private var parameters: [String: [(path: [String], name: String)]] = [:]

  /// Reads the annotations in the response to `tools/list`.
  mutating func learn(from response: MCPMessage) {
    for tool in response.members["result"]?["tools"]?.array ?? [] {
      guard let name = tool["name"]?.string else { continue }
      var found: [(path: [String], name: String)] = []
      Self.collect(tool["inputSchema"], [], &found)
      parameters[name] = found.isEmpty ? nil : found
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
        case .number(let number): number.lexeme
        case .bool(let bool): bool ? "true" : "false"
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
