import Synchronization
import TestSupport
import Testing

@Suite("msauth mcp login", .limitedConcurrency)
struct MCPSignInTests {
  private let runner: CommandRunner

  init() throws { runner = try CommandRunner() }

  @Test("a code for another device signs in, at an authorization server that offers them")
  func deviceCode() async throws {
    let code = #""device_code": "d", "user_code": "ABCD", "expires_in": 60, "interval": 1"#
    let deviation = ScriptedMCPServer.responses([
      WellKnownPath.issuer: { .issuerMetadata($0, ", \"device_authorization_endpoint\": \"\($0)/device\"") },
      "/device": { .json("{\(code), \"verification_uri\": \"\($0)/page\"}") },
    ])
    let server = try ScriptedMCPServer.accepting(deviation)
    try await runner.run("mcp", "login", "--store", "file", "--device-code", server.url)
      .expect(0, "ABCD", stdout: "\(server.url)\n")
    let grant = "urn:ietf:params:oauth:grant-type:device_code"
    #expect(server.requests.contains { $0.hasPrefix("POST /register") && $0.contains(grant) })
    let request = try #require(server.requests.first { $0.hasPrefix("POST /device") })
    #expect(FormFields.decode(request.split(separator: "\r\n\r\n")[1])["resource"] == server.url, "\(request)")
    #expect(try await runner.run("mcp", "token", "--store", "file", server.url).stdout == "token-1\n")
  }

  @Test("--prompt is requested of the authorization server")
  func prompt() async throws {
    let server = try ScriptedMCPServer.accepting()
    try await runner.logIn(to: server.url, "--prompt", "select_account").expect(0)
    let page = try #require(server.requests.first { $0.hasPrefix("GET /authorize") })
    #expect(page.contains("prompt=select_account&") || page.contains("prompt=select_account "), "\(page)")
  }

  @Test("without a user, the hint has the server's URL, even if a scope is the same")
  func noUser() async throws {
    let server = try ScriptedMCPServer.accepting()
    var runner = CommandRunner(home: try Home())
    runner.environment["CI"] = "true"
    try await runner.run("mcp", "login", "--store", "file", "--scope", server.url, server.url)
      .expect(2, "--scope \(server.url) --device-code \(server.url)")
  }

  @Test("what the authorization server has changed since the last sign-in is used")
  func changedMetadata() async throws {
    let registers = Mutex(false)
    let server = try ScriptedMCPServer.accepting { path, _, origin in
      guard path == WellKnownPath.issuer, !registers.withLock(\.self) else { return nil }
      return .issuerMetadata(origin, registers: false)
    }
    #expect(try await runner.logIn(to: server.url).stderr.contains("doesn't register clients"))
    registers.withLock { $0 = true }
    try await runner.logIn(to: server.url).expect(0)
  }

  @Test("--via signs in on the remote computer with the local browser")
  func via() async throws {
    let server = try ScriptedMCPServer.accepting(issuerHost: "localhost")
    let (ssh, home) = (try ScriptedSSH(), try Home())
    // Here, the user also confirms the authorization server on another host.
    try home.script(#"printf '%s' "$*" > "${0%/bin/*}/shown"; echo sign-in"#, to: "bin/notify-send")
    let path = "\(ssh.programs):\(home.path("bin")):/usr/bin:/bin"
    let runner = CommandRunner(home: home, environment: ["PATH": path])
    try await runner.logIn(to: server.url, "--via", "remote").expect(0, stdout: "\(server.url)\n")
    #expect(ssh.home.read(Home.cacheFile)?.contains("token-1") == true)
    #expect(home.read(Home.cacheFile) == nil)
    #expect(home.read("shown")?.contains("remote: \(server.url) signs you in at http://localhost:") == true)
  }

  @Test("an authorization server on another site needs a click on a notification")
  func confirmation() async throws {
    let server = try ScriptedMCPServer.accepting(issuerHost: "localhost")
    let closed = try await Bridge(server.url, browser: true, notifySend: "exit 0")
    #expect(try await closed.call("initialize").contains("didn't confirm the sign-in; run msauth mcp login"))
    #expect(!server.requests.contains { $0.hasPrefix("GET /authorize") })
    let script = #"printf '%s' "$*" > "${0%/bin/*}/shown"; echo sign-in"#
    let bridge = try await Bridge(server.url, browser: true, notifySend: script, initializes: true)
    let shown = try #require(bridge.runner.home.read("shown"))
    #expect(shown.contains("\(server.url) signs you in at http://localhost:"), "\(shown)")
  }

  @Test("a sign-in that fails suggests commands for this server")
  func hints() async throws {
    let server = try ScriptedMCPServer.accepting()
    for browser in ["false", Bridge.browser] {
      let words = ["mcp", "login", "--store", "file", "--browser", browser, "--scope", "deny", server.url]
      let outcome = try await runner.run(words).expect(browser == "false" ? 2 : 3, lacks: "msauth login")
      #expect(browser == "false" || outcome.stderr.contains("run msauth mcp login --store file --scope deny"))
    }
  }
}
