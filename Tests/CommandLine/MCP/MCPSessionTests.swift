import TestSupport
import Testing

@Suite("msauth mcp: sessions and sign-outs", .limitedConcurrency)
struct MCPSessionTests {
  private let runner: CommandRunner

  init() throws { runner = try CommandRunner() }

  @Test("of two sign-ins at the same time, one session is left")
  func twoSignIns() async throws {
    let server = try ScriptedMCPServer.accepting()
    func login(_ client: String, _ browsing: String...) throws -> ChildProcess {
      try runner.start(["mcp", "login", "--store", "file", "--client-id", client] + browsing + [server.url])
    }
    let first = try login("one", "--no-browser")
    let url = try await first.printedURL()
    try await runner.outcome(of: login("two", "--browser", Bridge.browser)).expect(0)
    _ = try await ChildProcess.output(of: ["curl", "--silent", "--location", url])
    try await runner.outcome(of: first).expect(0)
    let cache = try #require(runner.home.read(Home.cacheFile))
    #expect(cache.contains("token-2") && !cache.contains("token-1"), "\(cache)")
  }

  @Test("a running program loses its token at the sign-out, and gets one after the next sign-in")
  func runningProgram() async throws {
    let server = try ScriptedMCPServer.accepting()
    try await runner.logIn(to: server.url).expect(0)
    let bridge = try await Bridge(server.url, home: runner.home, initializes: true)
    try await runner.run("mcp", "logout", "--store", "file", server.url).expect(0)
    #expect(try await bridge.call("ping").contains("not signed in to \(server.url)"))
    try await runner.logIn(to: server.url).expect(0)
    #expect(try await bridge.call("ping").contains("result"))
  }

  @Test("--session names one of several sessions at a server")
  func sessions() async throws {
    let server = try ScriptedMCPServer.accepting()
    func run(_ command: String, _ session: String?, _ options: [String] = []) async throws -> CommandRunner.Outcome {
      let name = session.map { ["--session", $0] } ?? []
      return try await runner.run(["mcp", command, "--store", "file"] + name + options + [server.url])
    }
    for session in ["ada", "bob"] {
      try await run("login", session, ["--browser", Bridge.browser]).expect(0)
    }
    #expect(try await run("token", "ada").stdout == "token-1\n")
    #expect(try await run("token", "bob").stdout == "token-2\n")
    let missing = "not signed in to \(server.url), but to \(server.url) (session ada)\n"
    try await run("token", nil)
      .expect(2, missing, "run msauth mcp login --store file \(server.url), or use --session ada")
    try await run("logout", nil).expect(0, "hint: there is another session; use --session ada\n")
    let lines = try await runner.run("mcp", "list", "--store", "file").stdout
    #expect(lines == "\(server.url)\tada\n\(server.url)\tbob\n")
    let accounts = try await runner.run("accounts", "--all", "--store", "file").stdout
    #expect(accounts.contains("\tmcp (session ada)\n") && accounts.contains("\tmcp (session bob)\n"), "\(accounts)")
    #expect(try await run("token", "a b").stderr.contains("the session's name has a character"))
    #expect(try await run("logout", "ada").stderr.contains("signed out of \(server.url) (session ada)\n"))
    let login = "run msauth mcp login --store file --session ada \(server.url)"
    #expect(try await run("token", "ada").stderr.contains(login))
    #expect(try await run("token", "bob").stdout == "token-2\n")
    let list = try await runner.run("mcp", "list", "--store", "file", "--json").json["servers"]?.array
    #expect(list?.map { $0["session"] } == ["bob"] && list?.map { $0["server"]?.string } == [server.url])
  }

  @Test("a sign-out that the issuer fails is incomplete, and the other servers' follow", arguments: [true, false])
  func failedRevocation(all: Bool) async throws {
    let deviation = ScriptedMCPServer.responses([
      WellKnownPath.issuer: { .issuerMetadata($0, ", \"revocation_endpoint\": \"\($0)/revoke\"") },
      "/token": { _ in .json(#"{"access_token": "token-1", "token_type": "Bearer", "refresh_token": "r"}"#) },
      "/revoke": { _ in .status("400 Bad Request") },
    ])
    let server = try ScriptedMCPServer.accepting(deviation)
    let other = try ScriptedMCPServer.accepting()
    for url in [server.url, other.url] { try await runner.logIn(to: url).expect(0) }
    let words = all ? ["logout", "--all"] : ["mcp", "logout", server.url]
    let logout = try await runner.run(words + ["--store", "file", "--json"]).expect(1)
    // The problems are in the JSON alone.
    let report = try logout.json
    let servers = all ? report["servers"]?.array ?? [] : [report]
    #expect(servers.contains { $0["problems"]?.array?.isEmpty == false } && logout.stderr.isEmpty, "\(logout)")
    let list = try await runner.run("mcp", "list", "--store", "file", "--json").json
    #expect(list["servers"]?.array?.count == (all ? 0 : 1))
    guard all else { return #expect(report["revocation"] == "failed") }
    #expect(servers.compactMap { $0["server"]?.string }.sorted() == [server.url, other.url].sorted(), "\(logout)")
  }

  @Test(
    "logout --all also removes unused tokens, and with --wipe registrations, and reports what the issuer keeps",
    arguments: [([], true), (["--wipe"], true), (["--wipe"], false)]
  )
  func leftovers(wipe: [String], isDeleted: Bool) async throws {
    let registrations = ScriptedMCPServer.countingRegistrations()
    let server = try ScriptedMCPServer.accepting { path, request, origin in
      if path == "/token" {
        return .json(#"{"access_token": "token-1", "token_type": "Bearer", "refresh_token": "r"}"#)
      }
      if path.hasPrefix("/register/"), !isDeleted { return .status("403 Forbidden") }
      return registrations(path, request, origin)
    }
    try await runner.logIn(to: server.url).expect(0)
    // As after a sign-in whose process died between the tokens and the entry.
    let cache = try #require(runner.home.read(Home.cacheFile))
    try runner.home.write(cache.replacing("\"servers\"", with: "\"others\""), to: Home.cacheFile)
    let last = isDeleted ? "not signed in; removed what was left of" : "the registration couldn't be deleted: "
    try await runner.run(["logout", "--all", "--store", "file"] + wipe)
      .expect(isDeleted ? 0 : 1, "removed refresh tokens that no MCP server uses; they weren't revoked", last)
    let left = try #require(runner.home.read(Home.cacheFile))
    #expect(!left.contains("token-1") && left.contains("\"registrations\"") == wipe.isEmpty, "\(left)")
    #expect(server.requests(to: "DELETE /register/c1 ").count == wipe.count)
  }

  @Test("MSAUTH_PROFILE chooses the profile, like --profile")
  func profile() async throws {
    let server = try ScriptedMCPServer.accepting()
    var runner = runner
    try runner.home.write(
      #"{"profiles": {"work": {"client_id": "w", "authority": "https://work.example"}}}"#,
      to: "config/msauth/config.json"
    )
    runner.environment["MSAUTH_PROFILE"] = "work"
    let login = try await runner.run("mcp", "login", "--store", "file", "--json", "--no-browser", server.url)
    #expect(try login.json["error"]?["reason"] == "profile_mismatch", "\(login)")
  }
}
