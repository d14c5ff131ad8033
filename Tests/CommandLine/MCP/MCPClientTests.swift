import Dispatch
import Synchronization
import TestSupport
import Testing

@Suite("msauth mcp: clients and registrations", .limitedConcurrency)
struct MCPClientTests {
  private let runner: CommandRunner

  init() throws { runner = try CommandRunner() }

  @Test("a client that the authorization server forgot is registered again")
  func forgottenClient() async throws {
    let registrations = Mutex(0)
    let server = try ScriptedMCPServer.accepting { path, request, _ in
      switch path {
      case "/register":
        return .json("{\"client_id\": \"c-\(registrations.next())\"}")
      case "/token" where request.contains("grant_type=refresh_token"):
        return .status("401 Unauthorized", ["Content-Type: application/json"], #"{"error": "invalid_client"}"#)
      case "/token":
        return .json(#"{"access_token": "token-0", "token_type": "Bearer", "refresh_token": "r", "expires_in": 3600}"#)
      default: return nil
      }
    }
    try await runner.logIn(to: server.url).expect(0)
    let token = try await runner.run("mcp", "token", "--force-refresh", "--store", "file", server.url)
    #expect(token.code == 2 && token.stderr.contains("run msauth mcp login"), "\(token)")
    try await runner.logIn(to: server.url).expect(0)
    #expect(server.requests.contains { $0.hasPrefix("POST /token") && $0.contains("client_id=c-2") })
  }

  @Test(
    "a client whose page doesn't redirect back is registered again before the browser opens, if the error is about it",
    arguments: [
      (#"{"error": "invalid_request", "error_description": "unknown client"}"#, "400 Bad Request", true),
      (#"{"error": "invalid_client"}"#, "401 Unauthorized", true),
      (#"{"message": "Unrecognized client_id"}"#, "422 Unprocessable Content", true),
      (#"{"message": "Cannot GET /authorize?client_id=c-1"}"#, "404 Not Found", false),
      (#"{"error": "forbidden"}"#, "403 Forbidden", false),
      (#"{"error": "invalid_request"}"#, "429 Too Many Requests", false),
      (#"{"message": "unknown client"}"#, "400 Bad Request", false), ("<h1>Sign in</h1>", "200 OK", false),
    ]
  )
  func pageWithoutRedirect(body: String, status: String, isRegistered: Bool) async throws {
    let registrations = Mutex(0)
    let isForgotten = Mutex(false)
    let server = try ScriptedMCPServer.accepting { path, _, _ in
      if path == "/register" {
        return .json("{\"client_id\": \"c-\(registrations.next())\"}")
      }
      let isUnknown = path.hasPrefix("/authorize?") && path.contains("client_id=c-1&") && isForgotten.withLock(\.self)
      return isUnknown ? .status(status, [], body) : nil
    }
    try await runner.logIn(to: server.url).expect(0)
    isForgotten.withLock { $0 = true }
    try await runner.logIn(to: server.url, "--session", "b", "--timeout", "1").expect(isRegistered ? 0 : 4)
    #expect(registrations.withLock(\.self) == (isRegistered ? 2 : 1))
  }

  // MCPConformanceTests prove it for --client-id.
  @Test("the client ID metadata document of mcp_client_id is used where it is supported", arguments: [true, false])
  func metadataDocument(isSupported: Bool) async throws {
    let document = "https://client.example/metadata.json"
    let server = try ScriptedMCPServer.accepting { path, _, origin in
      guard isSupported else { return nil }
      if path.hasPrefix("/authorize?") { return .redirect(from: path, iss: origin) }
      let support =
        #", "client_id_metadata_document_supported": true, "authorization_response_iss_parameter_supported": true"#
      return path == WellKnownPath.issuer ? .issuerMetadata(origin, support) : nil
    }
    try runner.home.write(#"{"mcp_client_id": "\#(document)"}"#, to: "config/msauth/config.json")
    try await runner.logIn(to: server.url).expect(0)
    #expect(server.requests.contains { $0.hasPrefix("POST /register") } == !isSupported)
    let page = try #require(server.requests.first { $0.hasPrefix("GET /authorize") })
    #expect(page.contains("client_id=https%3A%2F%2Fclient.example%2Fmetadata.json&") == isSupported, "\(page)")
    try await runner.run("mcp", "token", "--store", "file", server.url).expect(0, stdout: "token-1\n")
  }

  @Test("a server's own client ID takes precedence over mcp_client_id")
  func configuredClient() async throws {
    let server = try ScriptedMCPServer.accepting()
    try runner.home.write(
      #"{"mcp_client_id": "https://client.example/c.json", "mcp": {"\#(server.url)": {"client_id": "own"}}}"#,
      to: "config/msauth/config.json"
    )
    let doctor = try await runner.run("doctor", "--store", "file", "--mcp", server.url)
    #expect(doctor.stdout.contains(" own, as configured for the server\n"), "\(doctor)")
  }

  @Test("the registration that a step-up replaces is deleted")
  func replacedRegistration() async throws {
    let registrations = ScriptedMCPServer.countingRegistrations()
    let server = try ScriptedMCPServer(tokens: true, deviation: registrations) { message, request in
      request.contains("token-2") ? .json(message.response) : .insufficientScope()
    }
    let bridge = try await Bridge(server.url, browser: true)
    #expect(try await bridge.call("ping").contains("result"))
    let deleted = server.requests.filter { $0.hasPrefix("DELETE ") }.map { $0.prefix { $0 != "\r\n" } }
    #expect(deleted == ["DELETE /register/c1 HTTP/1.1"])
  }

  @Test("programs that sign in at one authorization server at the same time register once")
  func oneRegistration() async throws {
    let hasStarted = DispatchSemaphore(value: 0)
    let count = Mutex(0)
    let server = try ScriptedMCPServer.accepting { path, _, _ in
      if path == WellKnownPath.issuer { hasStarted.signal() }
      // Both have looked for a registration.
      if path == "/register", count.next() == 1 { for _ in 0..<2 { hasStarted.wait() } }
      return nil
    }
    var bridges: [Bridge] = []
    for session in ["a", "b"] {
      let options = ["--browser", Bridge.browser, "--session", session]
      bridges.append(try await Bridge(server.url, home: runner.home, options: options))
    }
    for bridge in bridges { try bridge.send("initialize") }
    for bridge in bridges { #expect(try await bridge.line(1).contains("protocolVersion")) }
    #expect(count.withLock(\.self) == 1)
  }

  @Test("two sign-ins at the same time keep both registrations, which the sign-outs delete")
  func twoRegistrations() async throws {
    let server = try ScriptedMCPServer.accepting(ScriptedMCPServer.countingRegistrations())
    let deleted = { server.requests.filter { $0.hasPrefix("DELETE ") }.map { String($0.prefix { $0 != "\r\n" }) } }
    let first = try runner.start(["mcp", "login", "--store", "file", "--no-browser", server.url])
    let url = try await first.printedURL()
    try await runner.logIn(to: server.url, "--session", "b").expect(0)
    #expect(deleted().isEmpty)
    _ = try await ChildProcess.output(of: ["curl", "--silent", "--location", url])
    try await runner.outcome(of: first).expect(0)
    for session in [[], ["--session", "b"]] {
      let logout = try await runner.run(["mcp", "logout", "--store", "file", "--json"] + session + [server.url])
      #expect(try logout.json["deleted_registration"] == true, "\(logout)")
    }
    #expect(deleted() == ["DELETE /register/c1 HTTP/1.1", "DELETE /register/c2 HTTP/1.1"])
  }

  @Test("a sign-out leaves the registration that a running sign-in uses")
  func usedRegistration() async throws {
    let server = try ScriptedMCPServer.accepting(ScriptedMCPServer.countingRegistrations())
    try await runner.logIn(to: server.url).expect(0)
    let login = ["mcp", "login", "--store", "file", "--no-browser", "--session", "b", server.url]
    let second = try runner.start(login)
    let url = try await second.printedURL()
    try await runner.run("mcp", "logout", "--store", "file", server.url).expect(0)
    _ = try await ChildProcess.output(of: ["curl", "--silent", "--location", url])
    try await runner.outcome(of: second).expect(0)
    #expect(server.requests(to: "POST /register").count == 1 && server.requests(to: "DELETE ").isEmpty)
    let cache = try runner.home.json(Home.cacheFile)
    #expect(cache["msauth"]?["mcp"]?["registrations"] != nil, "\(cache)")
  }

  @Test("a registration's secret is used, and deleted at sign-out")
  func registration() async throws {
    let server = try ScriptedMCPServer.accepting()
    let bridge = try await Bridge(server.url, browser: true, initializes: true)
    try await bridge.close().expect(0)
    let token = try #require(server.requests.first { $0.hasPrefix("POST /token") })
    #expect(token.contains("Authorization: Basic "), "\(token)")
    try await bridge.runner.run("mcp", "logout", "--store", "file", "--json", server.url)
      .expect(0, output: "\"deleted_registration\":true")
    #expect(server.requests.contains { $0.hasPrefix("DELETE /register/c") && $0.contains("Bearer registration-token") })
    #expect(bridge.runner.home.read(Home.cacheFile)?.contains("hush") == false)
  }

  @Test("a code that another provider issued for its own client isn't sent to the server", arguments: [[], ["client"]])
  func mixUp(client: [String]) async throws {
    let server = try ScriptedMCPServer.accepting()
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
    try await runner.run(["mcp", "login"] + options).expect(0)
    let requests = server.requests.filter { $0.hasPrefix("POST /token") }
    #expect(requests.count == 1 && requests[0].contains("code=1&"), "\(requests)")
  }
}
