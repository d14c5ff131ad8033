import MSAuth

/// A JSON-RPC message, whose bytes are forwarded unchanged.
struct MCPMessage: Sendable {
  /// Larger than any tool's result that a model can read.
  static let maximumSize = 16 << 20

  private static let options = JSONValue.Options(
    maximumSize: maximumSize,
    maximumDepth: 128,
    maximumMembers: 2_000_000,
    isLenient: true
  )

  /// Without line breaks, which only appear between JSON's tokens.
  let bytes: [UInt8]
  /// Empty for a batch.
  let members: JSONValue.Object
  let responseIDs: [JSONValue]
  /// The IDs of the requests in it.
  let requestIDs: [JSONValue]

  init?(_ bytes: [UInt8]) {
    guard let value = try? JSONValue(parsing: bytes, options: Self.options) else { return nil }
    guard let messages = value.array ?? (value.object == nil ? nil : [value]) else { return nil }
    self.bytes = bytes.filter { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    members = value.object ?? [:]
    responseIDs = messages.compactMap { $0["method"] == nil ? $0["id"] : nil }
    requestIDs = messages.compactMap { $0["method"] == nil ? nil : $0["id"] }
  }

  var method: String? { members["method"]?.string }
  /// The ID of a request; `nil` for a notification, a response or a batch.
  var requestID: JSONValue? { members.isEmpty ? nil : requestIDs.first }
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
      responseIDs: [],
      requestIDs: ["msauth-tools"]
    )
  }

  static func error(_ id: JSONValue, code: Int64, _ message: String) -> MCPMessage {
    error(id, ["code": .number(JSONValue.Number(code)), "message": .string(message)])
  }

  static func error(_ id: JSONValue, _ error: JSONValue) -> MCPMessage {
    let members: JSONValue.Object = ["jsonrpc": "2.0", "id": id, "error": error]
    return MCPMessage(members: members, responseIDs: [id], requestIDs: [])
  }

  private init(members: JSONValue.Object, responseIDs: [JSONValue], requestIDs: [JSONValue]) {
    (self.members, self.responseIDs, self.requestIDs) = (members, responseIDs, requestIDs)
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
