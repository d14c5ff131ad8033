import Synchronization
import TestSupport
import Testing

@Suite("msauth mcp: sign-ins", .limitedConcurrency)
struct MCPSignInTests {
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

  struct Deviation: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var answer: @Sendable (_ path: String, _ request: String, _ origin: String) -> MCPAnswer?

    init(
      _ name: String,
      _ answer: @escaping @Sendable (_ path: String, _ request: String, _ origin: String) -> MCPAnswer?
    ) {
      (testDescription, self.answer) = (name, answer)
    }

    /// At the path of the resource's metadata; the root's are usable.
    static func metadata(_ name: String, _ answer: MCPAnswer) -> Deviation {
      Deviation(name) { path, _, origin in
        switch path {
        case "/.well-known/oauth-protected-resource/mcp": answer
        case "/.well-known/oauth-protected-resource":
          .json(#"{"resource": "\#(origin)/mcp", "authorization_servers": ["\#(origin)/"]}"#)
        default: nil
        }
      }
    }

    /// A registration with a method, and a token endpoint that accepts no other.
    static func method(_ method: String, accepts: @escaping @Sendable (String) -> Bool) -> Deviation {
      Deviation("a client that is registered for \(method)") { path, request, _ in
        switch path {
        case "/register":
          .json(#"{"client_id": "c", "client_secret": "hush", "token_endpoint_auth_method": "\#(method)"}"#)
        case "/token" where !accepts(request):
          .status("401 Unauthorized", ["Content-Type: application/json"], #"{"error": "invalid_client"}"#)
        default: nil
        }
      }
    }
  }

  static let deviations: [Deviation] = [
    .metadata("metadata that are a page", .status("200 OK", ["Content-Type: text/html"], "<!doctype html>")),
    .metadata("metadata that require a token", .status("401 Unauthorized")),
    .metadata(
      "no metadata, with an error",
      .status("404 Not Found", ["Content-Type: application/json"], #"{"status": 404, "error": "Not Found"}"#)
    ),
    Deviation("an issuer with a final slash") { path, _, origin in
      path != "/.well-known/oauth-authorization-server"
        ? nil
        : MCPScenario.metadata(origin, issuer: origin + "/")
    },
    Deviation("a challenge that names no document, without quotes") { path, request, origin in
      path != "/mcp" || request.contains("Bearer token-")
        ? nil : .status("401 Unauthorized", ["WWW-Authenticate: Bearer resource_metadata=\(origin)/nowhere"])
    },
    Deviation("a redirect within the server") { path, _, origin in
      path == "/mcp" ? .status("307 Temporary Redirect", ["Location: /mcp/"]) : nil
    },
    .method("client_secret_post") { $0.contains("client_secret=hush") && !$0.contains("Authorization: Basic") },
    .method("client_secret_basic") { $0.contains("Authorization: Basic") },
    .method("none") { !$0.contains("hush") && !$0.contains("Authorization: Basic") },
  ]

  @Test("servers that other clients work with", arguments: deviations)
  func accepted(_ deviation: Deviation) async throws {
    let server = try ScriptedMCPServer(tokens: true, deviation: deviation.answer) { message, _ in
      .json(message.response)
    }
    let bridge = try await Bridge(server.url, browser: true)
    let response = try await bridge.call("initialize")
    #expect(response.contains("protocolVersion"), "\(response)")
  }

  @Test("a client that the authorization server forgot is registered again")
  func forgottenClient() async throws {
    let registrations = Mutex(0)
    let server = try ScriptedMCPServer(tokens: true) { path, request, _ in
      switch path {
      case "/register":
        return .json("{\"client_id\": \"c-\(registrations.withLock { $0 += 1; return $0 })\"}")
      case "/token" where request.contains("grant_type=refresh_token"):
        return .status("401 Unauthorized", ["Content-Type: application/json"], #"{"error": "invalid_client"}"#)
      case "/token":
        return .json(#"{"access_token": "token-0", "token_type": "Bearer", "refresh_token": "r", "expires_in": 3600}"#)
      default: return nil
      }
    } _: { message, _ in
      .json(message.response)
    }
    let runner = CommandRunner(home: try Home())
    let words = ["--store", "file", "--browser", Bridge.browser, server.url]
    #expect(try await runner.outcome(of: runner.start(["mcp", "login"] + words)).code == 0)
    let token = try await runner.outcome(
      of: runner.start(["mcp", "token", "--force-refresh"] + words.prefix(2) + words.suffix(1))
    )
    #expect(token.code == 2 && token.stderr.contains("run msauth mcp login"), "\(token)")
    #expect(try await runner.outcome(of: runner.start(["mcp", "login"] + words)).code == 0)
    #expect(server.requests.contains { $0.hasPrefix("POST /token") && $0.contains("client_id=c-2") })
  }

  @Test("a server that rejects every token gets one new one, and the client an error with the command to run")
  func rejectedForever() async throws {
    let server = try ScriptedMCPServer(tokens: true) { _, _ in nil }
    let bridge = try await Bridge(server.url, browser: true)
    let response = try await bridge.call("initialize")
    #expect(response.contains("msauth mcp login --store file \(server.url)"), "\(response)")
    // The sign-in didn't help, so later messages don't open the browser again.
    #expect(try await bridge.call("ping").contains("the server rejects the token"))
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

  @Test("a server that requires another scope for each message opens the browser a few times only")
  func endlessStepUp() async throws {
    let count = Mutex(0)
    let server = try ScriptedMCPServer(tokens: true) { message, _ in
      let number = count.withLock {
        $0 += 1
        return $0
      }
      return .status("403 Forbidden", ["WWW-Authenticate: Bearer error=\"insufficient_scope\", scope=\"s\(number)\""])
    }
    let bridge = try await Bridge(server.url, browser: true)
    for _ in 0..<4 { #expect(try await bridge.call("ping").contains("HTTP status 403")) }
    #expect(server.requests.count { $0.hasPrefix("GET /authorize") } == 5)
  }

  @Test("programs that start together register once and open one page", arguments: [[], ["--scope", "other"]])
  func together(scope: [String]) async throws {
    let server = try ScriptedMCPServer(tokens: true) { message, _ in .json(message.response) }
    let home = try Home()
    var bridges: [Bridge] = []
    for _ in 0..<3 {
      let options = ["--browser", Bridge.browser] + scope
      bridges.append(try await Bridge(server.url, home: home, options: options))
    }
    for bridge in bridges { try bridge.send("initialize") }
    for bridge in bridges { #expect(try await bridge.line(1).contains("protocolVersion")) }
    #expect(server.requests.count { $0.hasPrefix("POST /register") } == 1)
    #expect(server.requests.count { $0.hasPrefix("GET /authorize") } == 1)
  }

  @Test("without a display, a request fails at once with the command to run")
  func noDisplay() async throws {
    let server = try ScriptedMCPServer(tokens: true) { message, _ in .json(message.response) }
    let bridge = try await Bridge(server.url, options: [])
    let response = try await bridge.call("initialize")
    #expect(
      response.contains("no display; run msauth mcp login --store file --device-code \(server.url)\""),
      "\(response)"
    )
    #expect(!server.requests.contains { $0.hasPrefix("POST /register") })
  }

  @Test("MSAUTH_PROFILE chooses the profile, like --profile")
  func profile() async throws {
    let server = try ScriptedMCPServer(tokens: true) { message, _ in .json(message.response) }
    var runner = CommandRunner(home: try Home())
    try runner.home.write(
      #"{"profiles": {"work": {"client_id": "w", "authority": "https://work.example"}}}"#,
      to: "config/msauth/config.json"
    )
    runner.environment["MSAUTH_PROFILE"] = "work"
    let login = try await runner.run("mcp", "login", "--store", "file", "--json", "--no-browser", server.url)
    #expect(try login.json["error"]?["reason"] == "profile_mismatch", "\(login)")
  }

  @Test("connect refuses a timeout that it would ignore")
  func ignoredTimeout() async throws {
    let connect = try await CommandRunner().run(
      "mcp",
      "connect",
      "--no-browser",
      "--timeout",
      "5",
      "https://mcp.example"
    )
    #expect(connect.code == 64 && connect.stderr.contains("--timeout and --no-browser can't be combined"), "\(connect)")
  }

  @Test("without a browser, the missing scope is named")
  func missingScope() async throws {
    let server = try ScriptedMCPServer(tokens: true) { message, _ in .json(message.response) }
    let home = try Home()
    let words = ["mcp", "login", "--store", "file", "--browser", Bridge.browser, server.url]
    let runner = CommandRunner(home: home)
    #expect(try await runner.outcome(of: runner.start(words)).code == 0)
    let bridge = try await Bridge(server.url, home: home, options: ["--no-browser", "--scope", "other"])
    #expect(try await bridge.call("initialize").contains("has no scope other; run msauth mcp login"))
  }

  @Test("a code for another device signs in, at an authorization server that offers them")
  func deviceCode() async throws {
    let server = try ScriptedMCPServer(tokens: true) { path, _, origin in
      switch path {
      case "/.well-known/oauth-authorization-server":
        MCPScenario.metadata(origin, ", \"device_authorization_endpoint\": \"\(origin)/device\"")
      case "/device":
        .json(
          """
          {"device_code": "d", "user_code": "ABCD", "verification_uri": "\(origin)/page", "expires_in": 60, "interval": 1}
          """
        )
      default: nil
      }
    } _: { message, _ in
      .json(message.response)
    }
    let runner = CommandRunner(home: try Home())
    let words = ["mcp", "login", "--store", "file", "--device-code", server.url]
    let login = try await runner.outcome(of: runner.start(words))
    #expect(login.code == 0 && login.stdout == "\(server.url)\n" && login.stderr.contains("ABCD"), "\(login)")
    let grant = "urn:ietf:params:oauth:grant-type:device_code"
    #expect(server.requests.contains { $0.hasPrefix("POST /register") && $0.contains(grant) })
    let request = try #require(server.requests.first { $0.hasPrefix("POST /device") })
    #expect(FormFields.decode(request.split(separator: "\r\n\r\n")[1])["resource"] == server.url, "\(request)")
    #expect(try await runner.run("mcp", "token", "--store", "file", server.url).stdout == "token-1\n")
  }

  @Test("--via signs in on another computer with this one's browser")
  func via() async throws {
    let server = try ScriptedMCPServer(tokens: true, issuerHost: "localhost") { message, _ in .json(message.response) }
    let (ssh, home) = (try ScriptedSSH(), try Home())
    // Here, the user also confirms the authorization server on another host.
    try home.script(#"printf '%s' "$*" > "${0%/bin/*}/shown"; echo sign-in"#, to: "bin/notify-send")
    let path = "\(ssh.programs):\(home.path("bin")):/usr/bin:/bin"
    let runner = CommandRunner(home: home, environment: ["PATH": path])
    let words = ["--via", "remote", "--store", "file", "--browser", Bridge.browser, server.url]
    let login = try await runner.outcome(of: runner.start(["mcp", "login"] + words))
    #expect(login.code == 0 && login.stdout == "\(server.url)\n", "\(login)")
    #expect(ssh.home.read("state/msauth/token_cache.json")?.contains("token-1") == true)
    #expect(home.read("state/msauth/token_cache.json") == nil)
    #expect(home.read("shown")?.contains("remote: \(server.url) signs you in at http://localhost:") == true)
  }

  @Test("a pasted address signs in")
  func paste() async throws {
    let server = try ScriptedMCPServer(tokens: true) { message, _ in .json(message.response) }
    let runner = CommandRunner(home: try Home())
    let child = try runner.startOnTerminal(["mcp", "login", "--store", "file", "--paste", server.url], typesMore: true)
    let page = try await eventually("the address and the prompt") { () -> String? in
      guard child.stdout.contains("press Enter") else { return nil }
      return child.stdout.split(whereSeparator: \.isWhitespace).first { $0.contains("state=") }.map(String.init)
    }
    let show = ["curl", "--silent", "--output", "/dev/null", "--write-out", "%{redirect_url}", page]
    try child.write(try await ChildProcess.output(of: show) + "\n")
    let login = try await runner.outcome(of: child)
    #expect(login.code == 0 && login.stdout.hasSuffix("\(server.url)\r\n"), "\(login)")
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

  @Test("the registration that a step-up replaces is deleted")
  func replacedRegistration() async throws {
    let count = Mutex(0)
    let server = try ScriptedMCPServer(tokens: true) { path, _, origin in
      guard path == "/register" else { return path.hasPrefix("/register/") ? .status("204 No Content") : nil }
      let number = count.withLock {
        $0 += 1
        return $0
      }
      return .json(
        """
        {"client_id": "c\(number)", "registration_client_uri": "\(origin)/register/\(number)",
        "registration_access_token": "manage"}
        """
      )
    } _: { message, request in
      let field = #"WWW-Authenticate: Bearer error="insufficient_scope", scope="more""#
      return request.contains("token-2") ? .json(message.response) : .status("403 Forbidden", [field])
    }
    let bridge = try await Bridge(server.url, browser: true)
    #expect(try await bridge.call("ping").contains("result"))
    let deleted = server.requests.filter { $0.hasPrefix("DELETE ") }.map { $0.prefix { $0 != "\r\n" } }
    #expect(deleted == ["DELETE /register/1 HTTP/1.1"])
  }

  @Test("a sign-out that the issuer fails is incomplete, and the other servers' follow", arguments: [true, false])
  func failedRevocation(all: Bool) async throws {
    let server = try ScriptedMCPServer(tokens: true) { path, _, origin in
      switch path {
      case "/.well-known/oauth-authorization-server":
        MCPScenario.metadata(origin, ", \"revocation_endpoint\": \"\(origin)/revoke\"")
      case "/token": .json(#"{"access_token": "token-1", "token_type": "Bearer", "refresh_token": "r"}"#)
      case "/revoke": .status("400 Bad Request")
      default: nil
      }
    } _: { message, _ in
      .json(message.response)
    }
    let other = try ScriptedMCPServer(tokens: true) { message, _ in .json(message.response) }
    let runner = CommandRunner(home: try Home())
    for url in [server.url, other.url] {
      let words = ["mcp", "login", "--store", "file", "--browser", Bridge.browser, url]
      #expect(try await runner.outcome(of: runner.start(words)).code == 0)
    }
    let words = all ? ["logout", "--all"] : ["mcp", "logout", server.url]
    let logout = try await runner.run(words + ["--store", "file", "--json"])
    #expect(logout.code != 0, "\(logout)")
    let list = try await runner.run("mcp", "list", "--store", "file", "--json").json
    #expect(list["servers"]?.array?.count == (all ? 0 : 1))
    guard all else { return #expect(try logout.json["revocation"] == "failed") }
    let servers = try logout.json["servers"]?.array ?? []
    #expect(servers.compactMap { $0["server"]?.string }.sorted() == [server.url, other.url].sorted(), "\(logout)")
  }

  @Test("--session names one of several sessions at a server")
  func sessions() async throws {
    let server = try ScriptedMCPServer(tokens: true) { message, _ in .json(message.response) }
    let runner = CommandRunner(home: try Home())
    func run(_ command: String, _ session: String?, _ options: [String] = []) async throws -> CommandRunner.Outcome {
      let name = session.map { ["--session", $0] } ?? []
      return try await runner.run(["mcp", command, "--store", "file"] + name + options + [server.url])
    }
    for session in ["ada", "bob"] {
      #expect(try await run("login", session, ["--browser", Bridge.browser]).code == 0)
    }
    #expect(try await run("token", "ada").stdout == "token-1\n")
    #expect(try await run("token", "bob").stdout == "token-2\n")
    let missing = try await run("token", nil)
    #expect(missing.code == 2 && missing.stderr.contains("not signed in to \(server.url), but to \(server.url)#ada"))
    #expect(try await run("token", "a b").stderr.contains("the session's name has a character"))
    #expect(try await run("logout", "ada").code == 0)
    #expect(
      try await run("token", "ada").stderr.contains("run msauth mcp login --store file --session ada \(server.url)")
    )
    #expect(try await run("token", "bob").stdout == "token-2\n")
    let list = try await runner.run("mcp", "list", "--store", "file", "--json").json["servers"]?.array
    #expect(list?.map { $0["session"] } == ["bob"] && list?.map { $0["server"]?.string } == [server.url])
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
