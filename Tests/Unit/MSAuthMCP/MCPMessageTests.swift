import MSAuthCore
import MSAuthTransport
import Testing

@testable import MSAuth
@testable import MSAuthMCP

@Suite("MCP: messages and streams")
struct MCPMessageTests {
  @Test(
    "a stream's messages are parsed in chunks of any size",
    arguments: [
      ("data: {}\n\n", ["{}"], nil), ("\u{FEFF}data: 1\n\ndata: 2\n\n", ["1", "2"], nil),
      ("data: 1\r\rdata:2\r\n\r\n", ["1", "2"], nil), ("data: a\ndata:  b\n\n", ["a\n b"], nil),
      (": comment\n\nevent: ping\ndata: x\n\nevent: message\ndata: y\n\n", ["y"], nil),
      ("id: 7\ndata:\n\nid: 8\ndata: z\n\nid: 9\ndata: incomplete\n", ["z"], "8"),
      ("id: 7\ndata: z\n\nid\ndata: y\n\n", ["z", "y"], nil), ("data: unterminated", [], nil),
    ] as [(String, [String], String?)]
  )
  func events(text: String, expected: [String], lastID: String?) throws {
    for size in [1, 2, 3, 1000] {
      var stream = EventStream(maximumSize: 1000)
      var messages: [String] = []
      var rest = Array(text.utf8)[...]
      while !rest.isEmpty {
        let piece = Array(rest.prefix(size))
        rest = rest.dropFirst(size)
        let complete = try #require(piece.withUnsafeBytes { stream.append($0) })
        messages += complete.map { String(decoding: $0, as: UTF8.self) }
      }
      #expect(messages == expected, "pieces of \(size) bytes")
      #expect(stream.lastEventID == lastID)
    }
  }

  @Test("an event without an end is limited")
  func endlessEvent() {
    var stream = EventStream(maximumSize: 100)
    let pieces = (0..<100).map { _ in Array("data: x\n".utf8).withUnsafeBytes { stream.append($0) } }
    #expect(pieces.contains(nil))
    var line = EventStream(maximumSize: 100)
    #expect(Array(repeating: 0x61, count: 101).withUnsafeBytes { line.append($0) } == nil)
  }

  @Test("bytes are passed on unchanged, on one line")
  func bytes() throws {
    let text = #"{ "id" : 1.0e2, "jsonrpc":"2.0",  "result": {"b":1,"a":"\u00fc\n"} }"#
    let message = try #require(MCPMessage(Array(text.utf8)))
    #expect(message.bytes == Array(text.utf8))
    #expect(message.responseIDs.map { $0.serializedString() } == ["1.0e2"])
    let pretty = try #require(MCPMessage(Array("{\r\n  \"id\": 1,\n  \"result\": {}\n}\n".utf8)))
    #expect(String(decoding: pretty.bytes, as: UTF8.self) == #"{  "id": 1,  "result": {}}"#)
    let batch = try #require(
      MCPMessage(Array(#"[{"id":1,"result":1},{"id":"2","error":{}},{"id":3,"method":"x"}]"#.utf8))
    )
    #expect(batch.responseIDs == [1, "2"])
    #expect(MCPMessage(Array("1".utf8)) == nil && MCPMessage(Array("{".utf8)) == nil)
  }

  @Test(
    "a response shows that the session is lost, unless its error is about the message",
    arguments: [
      (404, "", true), (404, error(-32601), true), (400, "", true), (400, error(-32600), true),
      (400, error(-32000), true), (400, error(-32602), false), (400, error(-32020), false),
      (401, "Unauthorized: Session not found", true), (401, error(-32000, "No valid session ID provided"), true),
      (401, error(-32000, "expired token"), false), (401, "", false), (403, "no session", false), (200, "", false),
    ] as [(Int, String, Bool)]
  )
  func lostSession(status: Int, body: String, isLost: Bool) {
    #expect(MCPBridge.isLostSession(HTTPResponse(status: status, body: Array(body.utf8))) == isLost)
  }

  private static func error(_ code: Int, _ message: String = "m") -> String {
    #"{"jsonrpc": "2.0", "id": null, "error": {"code": \#(code), "message": "\#(message)"}}"#
  }

  @Test("the headers of 2026-07-28 repeat method, name and annotated parameters")
  func headers() throws {
    var headers = MCPHeaders()
    headers.readAnnotations(
      in: try message(
        #"""
        {"id": 1, "result": {"tools": [{"name": "sql", "inputSchema": {"properties": {
          "region": {"type": "string", "x-mcp-header": "Region"}, "limit": {"x-mcp-header": "Limit"},
          "bad": {"x-mcp-header": "a\r\nHost"}, "deep": {"properties": {"dry": {"x-mcp-header": "Dry"}}}}}},
          {"name": "twice", "inputSchema": {"properties": {"a": {"x-mcp-header": "Same"}, "b": {"x-mcp-header": "same"}}}}
        ]}}
        """#
      )
    )
    func fields(_ method: String, _ params: String) throws -> [String] {
      let version = #""_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}"#
      let text = #"{"id": 1, "method": "\#(method)", "params": {\#(params), \#(version)}}"#
      return headers.fields(for: try message(text)).map { "\($0.name): \($0.value)" }
    }
    #expect(
      try fields(
        "tools/call",
        #""name": "sql", "arguments": {"region": "us", "limit": 42, "bad": 1, "deep": {"dry": true}}"#
      )
      .sorted() == [
        "Mcp-Method: tools/call", "Mcp-Name: sql", "Mcp-Param-Dry: true", "Mcp-Param-Limit: 42", "Mcp-Param-Region: us",
      ]
    )
    #expect(
      try fields("tools/call", #""name": "sql", "arguments": {"region": "Hello, 世界", "limit": null}"#)
        .last == "Mcp-Param-Region: =?base64?SGVsbG8sIOS4lueVjA==?="
    )
    #expect(try fields("resources/read", #""uri": " padded ""#).last == "Mcp-Name: =?base64?IHBhZGRlZCA=?=")
    #expect(
      try fields("prompts/get", #""name": "=?base64?literal?=""#).last
        == "Mcp-Name: =?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="
    )
    let ambiguous = try fields("tools/call", #""name": "twice", "arguments": {"a": "1", "b": "2"}"#)
    #expect(ambiguous == ["Mcp-Method: tools/call", "Mcp-Name: twice"])
    // Earlier revisions have none.
    #expect(headers.fields(for: try message(#"{"id": 1, "method": "tools/call", "params": {"name": "sql"}}"#)).isEmpty)
  }

  private func message(_ text: String) throws -> MCPMessage { try #require(MCPMessage(Array(text.utf8))) }
}
