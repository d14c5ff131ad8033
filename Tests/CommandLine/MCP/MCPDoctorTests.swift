import TestSupport
import Testing

@Suite("msauth doctor --mcp", .limitedConcurrency)
struct MCPDoctorTests {
  private let runner: CommandRunner

  init() throws { runner = try CommandRunner() }

  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var options: [String] = []
    /// Lines of the output, with ORIGIN for the server's.
    var lines: [String]
    var code: Int32 = 0
    var deviation: MCPDeviation = { _, _, _ in nil }
  }

  /// MCPServerTests proves what else is rejected or must be confirmed.
  static let cases: [Case] = [
    Case(
      testDescription: "a server of today's revision",
      lines: [
        "ok challenge HTTP status 401, scope first",
        "ok resource metadata found at ORIGIN/.well-known/oauth-protected-resource/mcp",
        "ok issuer ORIGIN, named by the server",
        "ok issuer metadata found at ORIGIN/.well-known/oauth-authorization-server",
        "ok endpoints ORIGIN/authorize and ORIGIN/token, of the issuer ORIGIN",
        "ok scopes first offline_access", "ok client a new one, to be registered at ORIGIN/register",
        "ok confirmation not needed", "ok sign in would open ORIGIN/authorize", "skipped mcp session none",
      ]
    ),
    Case(
      testDescription: "a client ID",
      options: ["--client-id", "own"],
      lines: ["ok client own, as configured for the server"]
    ),
    Case(
      testDescription: "a client ID metadata document, and an issuer that doesn't identify itself",
      options: ["--client-id", "https://client.example/c.json"],
      lines: ["failed sign in ORIGIN doesn't announce authorization_response_iss_parameter_supported"],
      code: 1,
      deviation: { path, _, origin in
        guard path == WellKnownPath.issuer else { return nil }
        return .issuerMetadata(origin, #", "client_id_metadata_document_supported": true"#, registers: false)
      }
    ),
    Case(
      testDescription: "no metadata, as in 2025-03-26",
      lines: [
        "skipped resource metadata ORIGIN/.well-known/oauth-protected-resource/mcp returned status 404 instead of",
        "skipped resource metadata ORIGIN/.well-known/oauth-protected-resource returned status 404 instead of",
        "ok issuer ORIGIN, the server's own origin, since the server names none",
        "skipped issuer metadata ORIGIN/.well-known/oauth-authorization-server returned status 404 instead of",
        "skipped issuer metadata ORIGIN/.well-known/openid-configuration returned status 404 instead of",
        "ok endpoints ORIGIN/authorize and ORIGIN/token, the default ones",
        "ok confirmation you must confirm: ORIGIN/mcp signs you in at ORIGIN",
      ],
      deviation: { path, _, _ in path.hasPrefix("/.well-known/") ? .status("404 Not Found") : nil }
    ),
    Case(
      testDescription: "a server that requires no sign-in",
      lines: ["ok challenge HTTP status 200", "failed sign in the server ORIGIN/mcp doesn't require a sign-in"],
      code: 1,
      deviation: { path, _, _ in path == "/mcp" ? .json("{}") : .status("404 Not Found") }
    ),
  ]

  @Test("shows the steps of a sign-in, and neither signs in nor writes", arguments: cases)
  func steps(_ row: Case) async throws {
    let server = try ScriptedMCPServer.accepting(row.deviation)
    let before = runner.home.files(below: ".")
    let outcome = try await runner.run(["doctor", "--store", "file", "--mcp", server.url] + row.options)
    #expect(outcome.code == row.code, "\(outcome)")
    let words = outcome.stdout.split(separator: "\n")
      .map { $0.split(separator: " ").joined(separator: " ") }
    let origin = String(server.url.dropLast(4))
    for line in row.lines {
      let line = line.replacing("ORIGIN", with: origin)
      #expect(words.contains { $0.hasPrefix(line) }, "\(line): \(outcome)")
    }
    #expect(runner.home.files(below: ".") == before)
    #expect(!server.requests.contains { $0.hasPrefix("POST /register") || $0.hasPrefix("GET /authorize") })
  }

  @Test("shows the sessions, and what is registered; --json has the server and the checks")
  func session() async throws {
    let server = try ScriptedMCPServer.accepting()
    try await runner.logIn(to: server.url).expect(0)
    try await runner.logIn(to: server.url, "--session", "ada").expect(0)
    let cache = runner.home.read(Home.cacheFile)
    let outcome = try await runner.run("doctor", "--store", "file", "--mcp", server.url, "--json")
    let output = try outcome.json
    #expect(outcome.code == 0 && output["server"]?.string == server.url, "\(outcome)")
    let checks = (output["checks"]?.array ?? []).map { "\($0["name"]?.string ?? "") \($0["message"]?.string ?? "")" }
    #expect(checks.contains("client c, registered before"), "\(outcome)")
    #expect(checks.contains { $0.hasPrefix("mcp_session valid for ") }, "\(outcome)")
    #expect(checks.contains { $0.hasPrefix("mcp_session ada: valid for ") }, "\(outcome)")
    #expect(runner.home.read(Home.cacheFile) == cache)
  }

  @Test("a failed step is the error of --json, and -q prints only problems")
  func failure() async throws {
    let words = ["doctor", "--store", "file", "--mcp", "http://127.0.0.1:1/mcp"]
    let outcome = try await runner.run(words + ["--json"])
    let error = try outcome.json["error"]
    #expect(outcome.code == 1 && error?["reason"] == "check_failed", "\(outcome)")
    #expect(error?["message"]?.string?.contains("127.0.0.1:1") == true, "\(outcome)")
    let quiet = try await runner.run(words + ["-q"])
    #expect(quiet.stdout.hasPrefix("failed") && quiet.stdout.count(where: \.isNewline) <= 2, "\(quiet)")
  }

  @Test("a wrong URL is a failed check")
  func configuration() async throws {
    let url = try await CommandRunner().run("doctor", "--mcp", "ftp://mcp.example/mcp", "--json")
    #expect(try url.code == 1 && url.json["checks"]?.array?.map { $0["name"] } == ["configuration"], "\(url)")
  }
}
