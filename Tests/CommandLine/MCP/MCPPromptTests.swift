import Synchronization
import TestSupport
import Testing

@Suite("msauth mcp: when the browser opens", .limitedConcurrency)
struct MCPPromptTests {
  private let runner: CommandRunner

  init() throws { runner = try CommandRunner() }

  private static func grant(_ token: String) -> MCPResponse {
    .json(#"{"access_token": "\#(token)", "token_type": "Bearer", "refresh_token": "r", "expires_in": 999}"#)
  }

  @Test("a server that rejects every token gets one new one, and the client an error with the command to run")
  func rejectedForever() async throws {
    let server = try ScriptedMCPServer(tokens: true) { _, _ in nil }
    let bridge = try await Bridge(server.url, browser: true)
    let response = try await bridge.call("initialize")
    #expect(response.contains("msauth mcp login --store file \(server.url)"), "\(response)")
    // The sign-in didn't help, so later messages don't open the browser again.
    #expect(try await bridge.call("ping").contains("the server rejected the token"))
    #expect(server.requests.count { $0.hasPrefix("GET /authorize") } == 1)
    #expect(server.requests.count { $0.hasPrefix("POST /token") } == 1)
  }

  @Test(
    "a token that the server rejects, and whose refresh fails or doesn't help, leads to a sign-in; mcp login always prompts",
    arguments: [true, false]
  )
  func rejectedRefresh(isDenied: Bool) async throws {
    let count = Mutex(0)
    let server = try ScriptedMCPServer(
      tokens: true,
      deviation: { path, request, _ in
        guard path == "/token" else { return nil }
        let isRefresh = request.contains("grant_type=refresh_token")
        guard !isRefresh || !isDenied else {
          return .status("400 Bad Request", ["Content-Type: application/json"], #"{"error": "invalid_grant"}"#)
        }
        return Self.grant(isRefresh ? "other" : "token-\(count.next())")
      },
      { message, request in request.contains("Bearer token-1\r\n") ? nil : .json(message.response) }
    )
    try await runner.logIn(to: server.url).expect(0)
    _ = try await Bridge(server.url, home: runner.home, browser: true, initializes: true)
    #expect(try await runner.run("mcp", "token", "--store", "file", server.url).stdout == "token-2\n")
    #expect(server.requests.count { $0.contains("grant_type=refresh_token") } == 1)
    try await runner.logIn(to: server.url).expect(0)
    #expect(count.withLock(\.self) == 3)
  }

  @Test("a rejected token isn't taken for a lost session, whatever the words, and is refreshed")
  func rejectedInSession() async throws {
    let isExpired = Mutex(false)
    let server = try ScriptedMCPServer(
      tokens: true,
      deviation: { path, request, _ in
        guard path == "/token" else { return nil }
        return Self.grant(request.contains("grant_type=refresh_token") ? "token-2" : "token-1")
      },
      { message, request in
        guard isExpired.withLock(\.self), request.contains("Bearer token-1\r\n") else {
          return .json(message.response, message.method == "initialize" ? ["Mcp-Session-Id: s"] : [])
        }
        return .status("401 Unauthorized", ["WWW-Authenticate: Bearer"], "Your session has expired.")
      }
    )
    let bridge = try await Bridge(server.url, browser: true, initializes: true)
    isExpired.withLock { $0 = true }
    #expect(try await bridge.call("tools/list").contains("result"))
    #expect(server.requests.count { $0.hasPrefix("GET /authorize") } == 1)
  }

  @Test("the claims of a challenge are requested")
  func claims() async throws {
    let count = Mutex(0)
    let claims = #"{"access_token":{"nbf":{"essential":true}}}"#
    let encoded = "eyJhY2Nlc3NfdG9rZW4iOnsibmJmIjp7ImVzc2VudGlhbCI6dHJ1ZX19fQ=="
    let server = try ScriptedMCPServer(
      tokens: true,
      deviation: { path, _, _ in path == "/token" ? Self.grant("token-\(count.next())") : nil },
      { message, request in
        guard request.contains("Bearer token-1\r\n") else { return .json(message.response) }
        let field = "WWW-Authenticate: Bearer error=\"insufficient_claims\", claims=\"\(encoded)\""
        return .status("401 Unauthorized", [field])
      }
    )
    _ = try await Bridge(server.url, browser: true, initializes: true)
    let refresh = try #require(server.requests.last { $0.hasPrefix("POST /token") })
    #expect(FormFields.decode(refresh.split(separator: "\r\n\r\n")[1])["claims"] == claims, "\(refresh)")
  }

  @Test("a later sign-in requests the scopes of an earlier step-up again, unless the user chooses the scopes")
  func keptScopes() async throws {
    let server = try ScriptedMCPServer(tokens: true) { message, request in
      request.contains("token-1\r\n") ? .insufficientScope() : .json(message.response)
    }
    _ = try await Bridge(server.url, home: runner.home, browser: true, initializes: true)
    try await runner.logIn(to: server.url).expect(0)
    try await runner.logIn(to: server.url, "--scope", "first").expect(0)
    let list = try await runner.run("mcp", "list", "--store", "file", "--json").json["servers"]?.array
    #expect(list?[0]["scopes"] == ["first"])
    let pages = server.requestedScopes
    #expect(pages.contains("first more offline_access") && pages.last == "first offline_access", "\(pages)")
    #expect(pages.count { $0 == "first more offline_access" } > 1, "\(pages)")
  }

  @Test("after a revocation, one of several programs refreshes the token")
  func oneRefresh() async throws {
    let count = Mutex(0)
    let isRevoked = Mutex(false)
    let server = try ScriptedMCPServer(
      tokens: true,
      deviation: { path, _, _ in path == "/token" ? Self.grant("token-\(count.next())") : nil },
      { message, request in
        isRevoked.withLock(\.self) && request.contains("Bearer token-1\r\n") ? nil : .json(message.response)
      }
    )
    try await runner.logIn(to: server.url).expect(0)
    var bridges: [Bridge] = []
    for _ in 0..<3 { bridges.append(try await Bridge(server.url, home: runner.home, initializes: true)) }
    isRevoked.withLock { $0 = true }
    for bridge in bridges { try bridge.send("ping") }
    for bridge in bridges { #expect(try await bridge.line(2).contains("result")) }
    #expect(count.withLock(\.self) == 2)
  }

  @Test(
    "missing scopes are requested together with the earlier ones, once",
    arguments: [("403 Forbidden", "HTTP status 403"), ("401 Unauthorized", "the server rejected the token")]
  )
  func stepUp(status: String, message error: String) async throws {
    let server = try ScriptedMCPServer(tokens: true) { message, request in
      let isAccepted = message.method != "never" && request.contains("token-2") || message.method == "initialize"
      return isAccepted ? .json(message.response) : .insufficientScope(status: status)
    }
    let bridge = try await Bridge(server.url, browser: true, initializes: true)
    #expect(try await bridge.call("tools/call").contains(#""result""#))
    let scopes = server.requests.filter { $0.hasPrefix("GET /authorize") }
      .map { $0.firstMatch(of: /scope=([^&]*)/)?.1 }
    #expect(scopes == ["first%20offline_access", "first%20more%20offline_access"])
    // Some authorization servers reject scopes that the client didn't register for.
    let registered = server.requests.filter { $0.hasPrefix("POST /register") }
      .map { $0.firstMatch(of: /"scope":"([^"]*)"/)?.1 }
    #expect(registered == ["first offline_access", "first more offline_access"])
    // The user has signed in for these scopes, however long ago, so the browser doesn't open again.
    try bridge.runner.home.changeEntries(of: "AccessToken") {
      $0["cached_at"] = "1000"
    }
    #expect(try await bridge.call("never").contains(error))
    #expect(server.requests.count { $0.hasPrefix("GET /authorize") } == 2)
  }

  @Test("without the browser, the error names a sign-in with the missing scopes, after which the call succeeds")
  func missingScopes() async throws {
    let server = try ScriptedMCPServer(tokens: true) { message, request in
      let isGranted = message.method == "initialize" || request.contains("token-2\r\n")
      return isGranted ? .json(message.response) : .insufficientScope()
    }
    try await runner.logIn(to: server.url).expect(0)
    let bridge = try await Bridge(server.url, home: runner.home, initializes: true)
    let error = try await bridge.call("tools/call")
    let command = "msauth mcp login --store file --scope first --scope more \(server.url)"
    #expect(error.contains("the server requires more scopes; run \(command)\""), "\(error)")
    try await runner.logIn(to: server.url, "--scope", "first", "--scope", "more").expect(0)
    #expect(try await bridge.call("tools/call").contains("result"))
  }

  @Test("a server that requires another scope for each message opens the browser a few times only")
  func endlessStepUp() async throws {
    let count = Mutex(0)
    let server = try ScriptedMCPServer(tokens: true) { _, _ in .insufficientScope("s\(count.next())") }
    let bridge = try await Bridge(server.url, browser: true)
    for _ in 0..<4 { #expect(try await bridge.call("ping").contains("HTTP status 403")) }
    #expect(server.requests.count { $0.hasPrefix("GET /authorize") } == 5)
  }

  @Test("programs that start together register once and open one page", arguments: [[], ["--scope", "other"]])
  func together(scope: [String]) async throws {
    let server = try ScriptedMCPServer.accepting()
    var bridges: [Bridge] = []
    for _ in 0..<3 {
      let options = ["--browser", Bridge.browser] + scope
      bridges.append(try await Bridge(server.url, home: runner.home, options: options))
    }
    for bridge in bridges { try bridge.send("initialize") }
    for bridge in bridges { #expect(try await bridge.line(1).contains("protocolVersion")) }
    #expect(server.requests.count { $0.hasPrefix("POST /register") } == 1)
    #expect(server.requests.count { $0.hasPrefix("GET /authorize") } == 1)
  }

  @Test("a process that waited for a sign-in without its scopes prompts for them")
  func otherScopes() async throws {
    let server = try ScriptedMCPServer.accepting()
    func start(_ scope: String, _ browsing: String...) throws -> ChildProcess {
      let words = ["mcp", "token", "--store", "file", "--interactive", "--scope", scope]
      return try runner.start(words + browsing + [server.url])
    }
    let first = try start("one", "--no-browser")
    let url = try await first.printedURL()
    let second = try start("two", "--browser", Bridge.browser)
    try await eventually("the second process to wait") { second.stderr.contains("sign-in of another process") }
    _ = try await ChildProcess.output(of: ["curl", "--silent", "--location", url])
    #expect(try await runner.outcome(of: first).stdout == "token-1\n")
    #expect(try await runner.outcome(of: second).stdout == "token-2\n")
  }

  @Test("without a display, a request fails at once with the command to run")
  func noDisplay() async throws {
    let server = try ScriptedMCPServer.accepting()
    let bridge = try await Bridge(server.url, options: [])
    let command = "no display; run msauth mcp login --store file --device-code \(server.url)\""
    #expect(try await bridge.call("initialize").contains(command))
    #expect(!server.requests.contains { $0.hasPrefix("POST /register") })
  }
}
