import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("msauth mcp connect: sessions and messages", .limitedConcurrency)
struct MCPBridgeTests {
  @Test(
    "a lost session is restarted with the client's own handshake, and the server's own messages arrive in it",
    arguments: [
      ("404 Not Found", ""), ("400 Bad Request", ""), ("401 Unauthorized", "Unauthorized: Session not found"),
    ]
  )
  func restartedStream(status: String, body: String) async throws {
    let sessions = Mutex(0)
    let streams = Mutex(0)
    let server = try ScriptedMCPServer { message, request in
      if message.method == "initialize" {
        return .json(message.response, ["Mcp-Session-Id: session-\(sessions.next())"])
      }
      let isLost = request.contains("session-1")
      if request.hasPrefix("GET ") {
        if isLost { return .status("404 Not Found") }
        return streams.next() == 1
          ? .stream("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n\n")
          : .status("405 Method Not Allowed")
      }
      guard message.isRequest else { return .status("202 Accepted") }
      return isLost ? .status(status, [], body) : .json(message.response)
    }
    let bridge = try await Bridge(server.url)
    #expect(try await bridge.call("initialize").contains("\"protocolVersion\":\"2025-06-18\""))
    try bridge.write(#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
    try bridge.send("tools/list")
    let lines = [try await bridge.line(2), try await bridge.line(3)]
    #expect(lines.contains { $0.contains("notifications/message") }, "\(lines)")
    #expect(lines.contains(#"{"jsonrpc":"2.0","id":2,"result":{"method":"tools/list"}}"#), "\(lines)")
    let end = try await bridge.close()
    #expect(end.code == 0, "\(end)")
    #expect(server.requests.contains { $0.hasPrefix("DELETE ") && $0.contains("session-2") })
  }

  @Test("the response to a batch is passed on; without one, each request gets an error", arguments: [true, false])
  func batch(isAnswered: Bool) async throws {
    let response = #"[{"jsonrpc":"2.0","id":7,"result":{}},{"jsonrpc":"2.0","id":8,"result":{}}]"#
    let server = try ScriptedMCPServer { message, _ in
      message.isRequest ? .json(message.response) : isAnswered ? .json(response) : .status("400 Bad Request")
    }
    let bridge = try await Bridge(server.url, initializes: true)
    let ping = { (id: Int) in "{\"jsonrpc\":\"2.0\",\"id\":\(id),\"method\":\"ping\"}" }
    try bridge.write("[\(ping(7)),\(ping(8))]")
    if isAnswered { return #expect(try await bridge.line(2) == response) }
    for (line, id) in [(2, 7), (3, 8)] {
      let error = try await bridge.line(line)
      #expect(error.contains("\"id\":\(id)") && error.contains("\"error\""), "\(error)")
    }
  }

  @Test("an open handshake blocks neither a cancellation nor the end of input")
  func deaf() async throws {
    let server = try ScriptedMCPServer { message, _ in
      message.method == "initialize" ? .never() : .status("202 Accepted")
    }
    let bridge = try await Bridge(server.url)
    try bridge.send("initialize")
    try bridge.send("tools/call")
    try bridge.write(#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#)
    _ = try await eventually("the cancellation") { server.requests.first { $0.contains("notifications/cancelled") } }
    try await bridge.close().expect(0)
  }

  @Test("64 open requests hold up neither a ping nor the end of input")
  func busy() async throws {
    let server = try ScriptedMCPServer { message, _ in
      message.method == "tools/call" ? .never() : .json(message.response)
    }
    let bridge = try await Bridge(server.url)
    for _ in 0..<70 { try bridge.send("tools/call") }
    try bridge.send("ping")
    #expect(try await bridge.line(1).contains(#""method":"ping""#))
    try await bridge.close().expect(0)
  }

  @Test("a server may keep the stream of each response open")
  func openStreams() async throws {
    let server = try ScriptedMCPServer { message, _ in .open("data: \(message.response)\n\n") }
    let bridge = try await Bridge(server.url)
    for _ in 0..<70 { #expect(try await bridge.call("tools/call").contains(#""result""#)) }
    try await bridge.close().expect(0)
  }

  @Test("the last line is read even without a line feed, and a line that isn't a message is rejected")
  func lines() async throws {
    let server = try ScriptedMCPServer { message, _ in .json(message.response) }
    let bridge = try await Bridge(server.url)
    let deep = String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
    try bridge.write(#"{"jsonrpc":"2.0","id":7,"method":"ping","params":\#(deep)}"#)
    let rejected = try await bridge.line(1)
    #expect(rejected.contains(#""id":null"#) && rejected.contains("-32700"), "\(rejected)")
    try bridge.write(#"{"jsonrpc":"2.0","id":8,"method":"ping"}"#, end: "")
    let end = try await bridge.close()
    #expect(end.stdout.hasSuffix("{\"jsonrpc\":\"2.0\",\"id\":8,\"result\":{\"method\":\"ping\"}}\n"), "\(end)")
  }

  @Test("after a line that is too long, the server's session ends too")
  func longLine() async throws {
    let server = try ScriptedMCPServer { message, _ in
      .json(message.response, message.method == "initialize" ? ["Mcp-Session-Id: s"] : [])
    }
    let bridge = try await Bridge(server.url, initializes: true)
    try bridge.write(String(repeating: " ", count: (16 << 20) + 1), end: "")
    try await bridge.end().expect(64, "a line of standard input is longer than 16 MiB")
    #expect(server.requests.contains { $0.hasPrefix("DELETE ") && $0.contains("Mcp-Session-Id: s\r\n") })
  }

  @Test(
    "a response whose ID is another spelling of the request's is followed by no error",
    arguments: ["2.0", "\"2\""]
  )
  func otherSpelling(id: String) async throws {
    let server = try ScriptedMCPServer { message, _ in
      .json(message.method == "ping" ? "{\"jsonrpc\":\"2.0\",\"id\":\(id),\"result\":{}}" : message.response)
    }
    let bridge = try await Bridge(server.url)
    for method in ["initialize", "ping"] { _ = try await bridge.call(method) }
    #expect(try await bridge.call("tools/list").contains("\"id\":3"))
  }

  @Test("a handshake whose stream breaks off is continued in the session that its head names")
  func resumedHandshake() async throws {
    let server = try ScriptedMCPServer { message, request in
      if request.hasPrefix("GET ") {
        let response = #"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}}"#
        let isContinued = request.contains("Mcp-Session-Id: s\r\n")
        return isContinued ? .stream("id: 2\ndata: \(response)\n\n") : .status("400 Bad Request")
      }
      if message.method == "initialize" { return .stream("id: 1\ndata:\n\n", ["Mcp-Session-Id: s"]) }
      return .json(message.response)
    }
    let bridge = try await Bridge(server.url, initializes: true)
    _ = try await bridge.call("tools/list")
    let last = try #require(server.requests.last)
    #expect(last.contains("Mcp-Session-Id: s\r\n") && last.contains("MCP-Protocol-Version: 2025-06-18\r\n"), "\(last)")
  }

  @Test("a restart that the server rejects fails the request that needs it, and nothing else")
  func rejectedRestart() async throws {
    let count = Mutex(0)
    let server = try ScriptedMCPServer { message, _ in
      guard message.method == "initialize" else { return .status("404 Not Found") }
      let error = #"{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"full"}}"#
      return count.next() == 1
        ? .json(message.response, ["Mcp-Session-Id: s"])
        : .status("400 Bad Request", ["Content-Type: application/json"], error)
    }
    let bridge = try await Bridge(server.url, initializes: true)
    #expect(try await bridge.call("tools/list").contains("\"id\":2"))
    #expect(try await bridge.call("ping").contains("\"id\":3"))
  }

  @Test("the server's own messages arrive after a failure, and a retry of 0 means a second")
  func failedStream() async throws {
    let count = Mutex(0)
    let start = ContinuousClock.now
    let server = try ScriptedMCPServer { message, request in
      guard request.hasPrefix("GET ") else {
        return message.isRequest ? .json(message.response) : .status("202 Accepted")
      }
      let number = count.next()
      let event = "retry: 0\nid: \(number)\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n\n"
      return number == 1 ? .status("503 Service Unavailable") : .stream(event)
    }
    let bridge = try await Bridge(server.url, initializes: true)
    try bridge.write(#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
    #expect(try await bridge.line(3).contains("notifications/message"))
    #expect(start.duration(to: .now) > .seconds(2))
  }

  @Test("an interrupted stream continues after the last event, as often as it breaks")
  func brokenStream() async throws {
    let server = try ScriptedMCPServer { message, request in
      if request.hasPrefix("GET ") {
        let isAfter = { (id: Int) in request.lowercased().contains("last-event-id: \(id)\r\n") }
        // The connection ends before the announced length.
        if isAfter(7) {
          return .stream("id: 8\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"n8\"}\n\n", ["Content-Length: 999"])
        }
        guard isAfter(8) else { return .status("405 Method Not Allowed") }
        return .stream("id: 9\ndata: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n\n", ["Content-Length: 999"])
      }
      return message.method == "initialize"
        ? .json(message.response)
        : .stream("retry: 10\n\nid: 7\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\ndata: {")
    }
    let bridge = try await Bridge(server.url, initializes: true)
    #expect(try await bridge.call("tools/call") == #"{"jsonrpc":"2.0","method":"notifications/progress"}"#)
    #expect(try await bridge.line(3) == #"{"jsonrpc":"2.0","method":"n8"}"#)
    #expect(try await bridge.line(4) == #"{"jsonrpc":"2.0","id":2,"result":{}}"#)
    #expect(try await bridge.close().stdout.split(separator: "\n").count == 4)
  }

  @Test("a 3 MB line is accepted; an endless stream blocks nothing, and a signal ends it")
  func largeAndEndless() async throws {
    let large = #"{"jsonrpc":"2.0","id":2,"result":""# + String(repeating: "x", count: 3_000_000) + "\"}"
    let server = try ScriptedMCPServer { message, request in
      switch message.method {
      case "initialize": .json(message.response, ["Mcp-Session-Id: s"])
      case "large": .json(large)
      case "endless": .endless("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n\n")
      default: .status("405 Method Not Allowed")
      }
    }
    let bridge = try await Bridge(server.url, initializes: true)
    #expect(try await bridge.call("large") == large)
    try bridge.send("endless")
    #expect(try await bridge.line(3).contains("notifications/message"))
    bridge.signal(SIGTERM)
    try await bridge.end().expect(143)
  }

  @Test("after a header mismatch, the tools are listed again, and the call has the fields that they name")
  func headerMismatch() async throws {
    let server = try ScriptedMCPServer { message, request in
      if message.method == "tools/list" {
        let isSecond = request.contains(#""cursor":"2""#)
        let tool = #"{"name":"find","inputSchema":{"properties":{"where":{"x-mcp-header":"Region"}}}}"#
        let result = isSecond ? "{\"tools\":[\(tool)]}" : #"{"tools":[],"nextCursor":"2"}"#
        return .json("{\"jsonrpc\":\"2.0\",\"id\":\"msauth-tools\",\"result\":\(result)}")
      }
      if request.contains("Mcp-Param-Region: north\r\n") { return .json(message.response) }
      let error = #"{"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"Header mismatch"}}"#
      return .status("400 Bad Request", ["Content-Type: application/json"], error)
    }
    let bridge = try await Bridge(server.url)
    let meta = #""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#
    let call = #"{"name":"find","arguments":{"where":"north"},\#(meta)}"#
    #expect(try await bridge.call("tools/call", call) == #"{"jsonrpc":"2.0","id":1,"result":{"method":"tools/call"}}"#)
    // A call that still doesn't match fails with the server's error.
    let other = #"{"name":"find","arguments":{"where":"south"},\#(meta)}"#
    #expect(try await bridge.call("tools/call", other).contains("-32020"))
    #expect(server.requests.count { $0.contains("tools/list") } == 4)
  }

  @Test("an initialize response that isn't a message fails with that reason")
  func noMessage() async throws {
    let server = try ScriptedMCPServer { _, _ in .json("\"hello\"") }
    #expect(try await Bridge(server.url).call("initialize").contains("isn't a JSON-RPC message"))
  }
}
