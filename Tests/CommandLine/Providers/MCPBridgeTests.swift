import Foundation
import MSAuthCore
import Synchronization
import TestSupport
import Testing

@Suite("msauth mcp connect", .limitedConcurrency)
struct MCPBridgeTests {
  @Test("a lost session is restarted with the client's own handshake")
  func forgottenSession() async throws {
    let sessions = Mutex(0)
    let server = try ScriptedMCPServer { message, request in
      let session = "session-\(sessions.withLock { if message.method == "initialize" { $0 += 1 }; return $0 })"
      if message.method != "initialize", !request.contains(session) || session == "session-1" {
        return .status("404 Not Found")
      }
      return message.method == "initialize"
        ? .json(message.response, ["Mcp-Session-Id: \(session)"])
        : message.isRequest ? .json(message.response) : .status("202 Accepted")
    }
    let bridge = try await Bridge(server.url)
    #expect(try await bridge.call("initialize").contains("\"protocolVersion\":\"2025-06-18\""))
    #expect(try await bridge.call("tools/list") == #"{"jsonrpc":"2.0","id":2,"result":{"method":"tools/list"}}"#)
    #expect(sessions.withLock(\.self) == 2)
    let end = try await bridge.close()
    #expect(end.code == 0, "\(end)")
    #expect(server.requests.contains { $0.hasPrefix("DELETE ") && $0.contains("session-2") })
  }

  @Test("after a lost session, the server's own messages arrive in the new one")
  func restartedStream() async throws {
    let sessions = Mutex(0)
    let server = try ScriptedMCPServer { message, request in
      if message.method == "initialize" {
        let number = sessions.withLock {
          $0 += 1
          return $0
        }
        return .json(message.response, ["Mcp-Session-Id: session-\(number)"])
      }
      let isLost = request.contains("session-1")
      if request.hasPrefix("GET ") {
        return isLost
          ? .status("404 Not Found") : .stream("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n\n")
      }
      guard message.isRequest else { return .status("202 Accepted") }
      return isLost ? .status("404 Not Found") : .json(message.response)
    }
    let bridge = try await Bridge(server.url)
    _ = try await bridge.call("initialize")
    try bridge.write(#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
    try bridge.send("tools/list")
    let lines = [try await bridge.line(2), try await bridge.line(3)]
    #expect(lines.contains { $0.contains("notifications/message") }, "\(lines)")
  }

  @Test("the response to a batch is passed on")
  func batch() async throws {
    let response = #"[{"jsonrpc":"2.0","id":7,"result":{}},{"jsonrpc":"2.0","id":8,"result":{}}]"#
    let server = try ScriptedMCPServer { message, _ in .json(message.isRequest ? message.response : response) }
    let bridge = try await Bridge(server.url)
    _ = try await bridge.call("initialize")
    let ping = { (id: Int) in "{\"jsonrpc\":\"2.0\",\"id\":\(id),\"method\":\"ping\"}" }
    try bridge.write("[\(ping(7)),\(ping(8))]")
    #expect(try await bridge.line(2) == response)
  }

  @Test("of two sign-ins at the same time, one session is left")
  func twoSignIns() async throws {
    let server = try ScriptedMCPServer(tokens: true) { message, _ in .json(message.response) }
    let runner = CommandRunner(home: try Home())
    func login(_ client: String, _ browsing: String...) throws -> ChildProcess {
      try runner.start(["mcp", "login", "--store", "file", "--client-id", client] + browsing + [server.url])
    }
    let first = try login("one", "--no-browser")
    let url = try await first.printedURL()
    #expect(try await runner.outcome(of: login("two", "--browser", Bridge.browser)).code == 0)
    _ = try await ChildProcess.output(of: ["curl", "--silent", "--location", url])
    #expect(try await runner.outcome(of: first).code == 0)
    let cache = try #require(runner.home.read("state/msauth/token_cache.json"))
    #expect(cache.contains("token-2") && !cache.contains("token-1"), "\(cache)")
  }

  @Test("an interrupted stream continues after the last event")
  func brokenStream() async throws {
    let server = try ScriptedMCPServer { message, request in
      if request.hasPrefix("GET ") {
        guard request.lowercased().contains("last-event-id: 7\r\n") else { return .status("405 Method Not Allowed") }
        return .stream("id: 8\ndata: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n\n")
      }
      return message.method == "initialize"
        ? .json(message.response)
        : .stream("retry: 10\n\nid: 7\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\ndata: {")
    }
    let bridge = try await Bridge(server.url)
    _ = try await bridge.call("initialize")
    #expect(try await bridge.call("tools/call") == #"{"jsonrpc":"2.0","method":"notifications/progress"}"#)
    #expect(try await bridge.line(3) == #"{"jsonrpc":"2.0","id":2,"result":{}}"#)
    #expect(try await bridge.close().code == 0)
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
    let bridge = try await Bridge(server.url)
    _ = try await bridge.call("initialize")
    #expect(try await bridge.call("large") == large)
    try bridge.send("endless")
    #expect(try await bridge.line(3).contains("notifications/message"))
    bridge.signal(SIGTERM)
    #expect(try await bridge.end().code == 143)
  }

  @Test("a redirect isn't followed, and the token is sent nowhere else")
  func redirect() async throws {
    let other = try ScriptedServer { peer in peer.answer("200 OK", ["Content-Type: application/json"], "{}") }
    let server = try ScriptedMCPServer(tokens: true) { message, request in
      .status("307 Temporary Redirect", ["Location: \(other.url)/mcp"])
    }
    let bridge = try await Bridge(server.url, browser: true)
    #expect(try await bridge.call("initialize").contains("HTTP status 307; check the server's URL"))
    #expect(other.requests.isEmpty)
    #expect(server.requests.contains { $0.contains("Authorization: Bearer token-1") })
  }

  @Test("a server that rejects every token gets one new one, and the client an error with the command to run")
  func rejectedForever() async throws {
    let server = try ScriptedMCPServer(tokens: true) { _, _ in nil }
    let bridge = try await Bridge(server.url, browser: true)
    let response = try await bridge.call("initialize")
    #expect(response.contains("msauth mcp login --store file \(server.url)"), "\(response)")
    #expect(server.requests.count { $0.hasPrefix("GET /authorize") } == 1)
    #expect(server.requests.count { $0.hasPrefix("POST /token") } == 1)
  }

  @Test("missing scopes are requested together with the earlier ones, once")
  func stepUp() async throws {
    let server = try ScriptedMCPServer(tokens: true) { message, request in
      let field = #"WWW-Authenticate: Bearer error="insufficient_scope", scope="more""#
      if message.method == "initialize" { return .json(message.response) }
      if message.method == "never" { return .status("403 Forbidden", [field]) }
      return request.contains("token-2") ? .json(message.response) : .status("403 Forbidden", [field])
    }
    let bridge = try await Bridge(server.url, browser: true)
    _ = try await bridge.call("initialize")
    #expect(try await bridge.call("tools/call").contains(#""result""#))
    let scopes = server.requests.filter { $0.hasPrefix("GET /authorize") }
      .map { $0.firstMatch(of: /scope=([^&]*)/)?.1 }
    #expect(scopes == ["first%20offline_access", "first%20more%20offline_access"])
    // Some authorization servers reject scopes that the client didn't register for.
    let registered = server.requests.filter { $0.hasPrefix("POST /register") }
      .map { $0.firstMatch(of: /"scope":"([^"]*)"/)?.1 }
    #expect(registered == ["first offline_access", "first more offline_access"])
    // The user has signed in for these scopes, however long ago, so the browser doesn't open again.
    try bridge.runner.home.changeEntries(of: "AccessToken", in: "state/msauth/token_cache.json") {
      $0["cached_at"] = "1000"
    }
    #expect(try await bridge.call("never").contains("HTTP status 403"))
    #expect(server.requests.count { $0.hasPrefix("GET /authorize") } == 2)
  }

  @Test("an authorization server on another site needs a click on a notification")
  func confirmation() async throws {
    let server = try ScriptedMCPServer(tokens: true, issuerHost: "localhost") { message, _ in .json(message.response) }
    let closed = try await Bridge(server.url, browser: true, notifySend: "exit 0")
    #expect(try await closed.call("initialize").contains("didn't confirm the sign-in; run msauth mcp login"))
    #expect(!server.requests.contains { $0.hasPrefix("GET /authorize") })
    let script = #"printf '%s' "$*" > "${0%/bin/*}/shown"; echo sign-in"#
    let bridge = try await Bridge(server.url, browser: true, notifySend: script)
    #expect(try await bridge.call("initialize").contains("protocolVersion"))
    let shown = try #require(bridge.runner.home.read("shown"))
    #expect(shown.contains("\(server.url) signs you in at http://localhost:"), "\(shown)")
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

  @Test("a sign-in that fails suggests commands for this server")
  func hints() async throws {
    let server = try ScriptedMCPServer(tokens: true) { message, _ in .json(message.response) }
    let runner = CommandRunner(home: try Home())
    for browser in ["false", Bridge.browser] {
      let words = ["mcp", "login", "--store", "file", "--browser", browser, "--scope", "deny", server.url]
      let outcome = try await runner.outcome(of: runner.start(words))
      #expect(outcome.code == (browser == "false" ? 2 : 3) && !outcome.stderr.contains("msauth login"), "\(outcome)")
      #expect(browser == "false" || outcome.stderr.contains("run msauth mcp login --store file --scope deny"))
    }
  }

  @Test("a code that another provider issued for its own client isn't sent to the server", arguments: [[], ["client"]])
  func mixUp(client: [String]) async throws {
    let server = try ScriptedMCPServer(tokens: true) { message, _ in .json(message.response) }
    let runner = CommandRunner(home: try Home())
    // Other providers' clients have these redirect URIs, with any port.
    let browser = try runner.home.script(
      #"""
      location() { curl --silent --output /dev/null --write-out '%{redirect_url}' "$1"; }
      page=$(location "$1")
      port=$(expr "$page" : '.*redirect_uri=http%3A%2F%2F127.0.0.1%3A\([0-9]*\)')
      path=$(expr "$page" : '.*127.0.0.1%3A[0-9]*%2F\([^&]*\)&')
      state=$(expr "$page" : '.*[&?]state=\([^&]*\)')
      for uri in "localhost:$port/" "127.0.0.1:$port/" "127.0.0.1:$port/callback" "localhost:$port/$path"; do
        curl --silent --output /dev/null "http://$uri?code=stolen&state=$state"
      done
      curl --silent --output /dev/null --location "$page"
      """#,
      to: "browser"
    )
    let options = client.flatMap { ["--client-id", $0] } + ["--store", "file", "--browser", browser, server.url]
    let outcome = try await runner.outcome(of: runner.start(["mcp", "login"] + options))
    #expect(outcome.code == 0, "\(outcome)")
    let requests = server.requests.filter { $0.hasPrefix("POST /token") }
    #expect(requests.count == 1 && requests[0].contains("code=1&"), "\(requests)")
  }

  @Test("without support for a metadata document, the client registers, and the session continues")
  func metadataDocument() async throws {
    let server = try ScriptedMCPServer(tokens: true) { message, _ in .json(message.response) }
    let runner = CommandRunner(home: try Home())
    let client = ["--store", "file", "--client-id", "https://client.example/metadata.json", server.url]
    let login = try runner.start(["mcp", "login", "--browser", Bridge.browser] + client)
    #expect(try await runner.outcome(of: login).code == 0)
    let token = try await runner.outcome(of: runner.start(["mcp", "token"] + client))
    #expect(token.code == 0 && token.stdout == "token-1\n", "\(token)")
  }

  @Test("an initialize response that isn't a message fails with that reason")
  func noMessage() async throws {
    let server = try ScriptedMCPServer { _, _ in .json("\"hello\"") }
    #expect(try await Bridge(server.url).call("initialize").contains("is not a JSON-RPC message"))
  }

  @Test("a registration's secret is used, and deleted at sign-out")
  func registration() async throws {
    let server = try ScriptedMCPServer(tokens: true) { message, _ in .json(message.response) }
    let bridge = try await Bridge(server.url, browser: true)
    _ = try await bridge.call("initialize")
    #expect(try await bridge.close().code == 0)
    let token = try #require(server.requests.first { $0.hasPrefix("POST /token") })
    #expect(token.contains("Authorization: Basic "), "\(token)")
    let logout = try await bridge.runner.run("mcp", "logout", "--store", "file", "--json", server.url)
    #expect(logout.code == 0 && logout.stdout.contains("\"deleted_registration\":true"), "\(logout)")
    #expect(server.requests.contains { $0.hasPrefix("DELETE /register/c") && $0.contains("Bearer manage") })
    #expect(bridge.runner.home.read("state/msauth/token_cache.json")?.contains("hush") == false)
  }
}

private struct ReceivedMessage: Sendable {
  var method = ""
  var id: JSONValue?

  var isRequest: Bool { id != nil }
  var response: String {
    let result =
      method == "initialize" ? #"{"protocolVersion":"2025-06-18","capabilities":{}}"# : "{\"method\":\"\(method)\"}"
    return "{\"jsonrpc\":\"2.0\",\"id\":\(id?.serializedString() ?? "null"),\"result\":\(result)}"
  }
}

private enum MCPAnswer: Sendable {
  case json(String, [String] = [])
  case stream(String)
  /// Repeats an event until the client disconnects.
  case endless(String)
  case status(String, [String] = [], String = "")
}

/// An MCP server at `/mcp`, with tokens also an authorization server that registers and accepts every client.
private final class ScriptedMCPServer: Sendable {
  private let server: ScriptedServer

  var url: String { server.url + "/mcp" }
  var requests: [String] { server.rawRequests }

  /// `answer` responds to requests with a token, if required; `nil` is a 401.
  init(
    tokens: Bool = false,
    issuerHost: String = "127.0.0.1",
    _ answer: @escaping @Sendable (ReceivedMessage, String) -> MCPAnswer?
  ) throws {
    let count = Mutex(0)
    server = try ScriptedServer { peer in
      let request = peer.request
      let origin = "http://" + (request.firstMatch(of: /(?i)\r\nhost: *([^\r]+)/).map { String($0.1) } ?? "")
      let path = request.split(separator: " ").dropFirst().first ?? ""
      if path.hasPrefix("/mcp") {
        let challenge = "WWW-Authenticate: Bearer scope=\"first\""
        guard !tokens || request.contains("Authorization: Bearer token-") else {
          return peer.answer("401 Unauthorized", [challenge])
        }
        let body = request.split(separator: "\r\n\r\n", maxSplits: 1).dropFirst().first ?? "{}"
        let members = try? JSONValue(parsing: Array(body.utf8)).object
        let message = ReceivedMessage(method: members?["method"]?.string ?? "", id: members?["id"])
        return Self.send(answer(message, request) ?? .status("401 Unauthorized", [challenge]), to: peer)
      }
      let json = ["Content-Type: application/json"]
      switch path.prefix(while: { $0 != "?" }) {
      case "/.well-known/oauth-protected-resource/mcp":
        let issuer = origin.replacing("127.0.0.1", with: issuerHost)
        peer.answer("200 OK", json, #"{"resource": "\#(origin)/mcp", "authorization_servers": ["\#(issuer)"]}"#)
      case "/.well-known/oauth-authorization-server":
        let metadata = """
          {"issuer": "\(origin)", "authorization_endpoint": "\(origin)/authorize", "token_endpoint": "\(origin)/token",
          "registration_endpoint": "\(origin)/register", "code_challenge_methods_supported": ["S256"],
          "scopes_supported": ["offline_access"]}
          """
        peer.answer("200 OK", json, metadata)
      case "/register":
        let client = """
          {"client_id": "c", "client_secret": "hush", "registration_client_uri": "\(origin)/register/c",
          "registration_access_token": "manage"}
          """
        peer.answer("201 Created", json, client)
      case "/register/c": peer.answer("204 No Content")
      case "/authorize":
        let query = FormFields.query(of: String(path))
        let response = query["scope"]?.contains("deny") == true ? "error=access_denied" : "code=1"
        let location = "\(query["redirect_uri"] ?? "")?\(response)&state=\(query["state"] ?? "")"
        peer.answer("302 Found", ["Location: \(location)"])
      case "/token":
        let number = count.withLock {
          $0 += 1
          return $0
        }
        peer.answer(
          "200 OK",
          json,
          #"{"access_token": "token-\#(number)", "token_type": "Bearer", "expires_in": 3600}"#
        )
      default: peer.answer("404 Not Found")
      }
    }
  }

  private static func send(_ answer: MCPAnswer, to peer: ScriptedServer.Peer) {
    let stream = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
    switch answer {
    case .json(let body, let fields): peer.answer("200 OK", ["Content-Type: application/json"] + fields, body)
    case .status(let status, let fields, let body): peer.answer(status, fields, body)
    case .stream(let events):
      peer.send(stream + events)
      peer.disconnect()
    case .endless(let event):
      peer.send(stream)
      while peer.send(event) {}
    }
  }
}

/// `msauth mcp connect` with its own home and client.
private final class Bridge: Sendable {
  /// Signs in at any URL.
  static let browser = "curl --silent --location --output /dev/null %s"

  let runner: CommandRunner
  private let child: ChildProcess
  private let count = Mutex(0)

  init(_ url: String, browser: Bool = false, notifySend script: String = "exit 1") async throws {
    runner = CommandRunner(home: try Home())
    try runner.home.write("#!/bin/sh\n\(script)\n", to: "bin/notify-send", mode: 0o700)
    let path = runner.home.path("bin") + ":/usr/bin:/bin"
    let browsing = browser ? ["--browser", Self.browser] : ["--no-browser"]
    child = try ChildProcess(
      [try BuiltProducts.msauth, "mcp", "connect", "--store", "file"] + browsing + [url],
      environment: runner.home.environment.merging(["PATH": path]) { _, new in new },
      holdsInput: true
    )
  }

  func send(_ method: String, _ params: String = "{}") throws {
    let id = count.withLock {
      $0 += 1
      return $0
    }
    try write("{\"jsonrpc\":\"2.0\",\"id\":\(id),\"method\":\"\(method)\",\"params\":\(params)}")
  }

  func write(_ line: String) throws { try child.write(line + "\n") }

  /// Sends a request, and returns the next line.
  func call(_ method: String, _ params: String = "{}") async throws -> String {
    try send(method, params)
    return try await line(count.withLock(\.self))
  }

  /// A line of standard output, counted from 1.
  func line(_ number: Int) async throws -> String {
    try await eventually("line \(number)") { [child] in
      let lines = child.stdout.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      return lines.count >= number ? String(lines[number - 1]) : nil
    }
  }

  func signal(_ number: Int32) { child.signal(number) }

  func end() async throws -> CommandRunner.Outcome { try await runner.outcome(of: child) }

  func close() async throws -> CommandRunner.Outcome {
    child.closeInput()
    return try await end()
  }
}
