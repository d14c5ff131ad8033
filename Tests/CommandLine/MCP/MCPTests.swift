@testable import DemoProvider
import Foundation
import MSAuthCore
import MSAuthCrypto
import TestSupport
import Testing

@Suite("MCP with PyPI's fastmcp", .limitedConcurrency)
struct MCPTests {
  private static let browser = ["--browser", Bridge.browser]

  /// The output of `mcp-client.py`.
  private static let results = """
    {"progress":[0.0,1.0,2.0],"sums":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20],"text":true,\
    "tools":["add","count","repeat"]}
    """

  @Test("a client lists and calls tools with a browser sign-in, and then without", arguments: ["auto", "legacy"])
  func client(mode: String) async throws {
    let server = try await MCPFixture()
    for browsing in mode == "auto" ? [Self.browser, ["--no-browser"]] : [Self.browser] {
      let outcome = try await server.runClient(mode, browsing).expect(0)
      #expect(try outcome.json == JSONValue(parsing: Self.results.utf8), "\(outcome)")
      let opened = outcome.stderr.contains("opened your browser (curl)")
      #expect(opened == (browsing == Self.browser), "\(outcome)")
    }
  }

  @Test("commands: sign in, print a token in each format, refresh it, list the server, and sign out")
  func commands() async throws {
    let server = try await MCPFixture()
    let before = try await server.run("token")
    let hint = "run msauth mcp login --store file \(server.url)\n"
    #expect(before.code == 2 && before.stderr.contains(hint), "\(before)")

    try await server.run("login", Self.browser).expect(0, stdout: "\(server.url)\n")
    let token = try await server.run("token").expect(0, stderr: "")
    let value = token.stdout.dropLast()
    #expect(try await server.run("token", ["--output", "header"]).stdout == "Authorization: Bearer \(value)\n")
    let headers = "{\"Authorization\":\"Bearer \(value)\"}\n"
    #expect(try await server.run("token", ["--output", "headers"]).stdout == headers)
    let refreshed = try await server.run("token", ["--force-refresh", "--json"])
    let output = try refreshed.json
    #expect(output["server"]?.string == server.url && output["from_cache"] == false && output["scopes"] == ["read"])
    #expect(output["access_token"]?.string.map { $0 != value } == true, "\(refreshed)")

    try await server.run("token", ["--scope", "read", "--scope", "admin"]).expect(2, "has no scope admin")

    let list = try await server.runner.run("mcp", "list", "--json", "--store", "file")
    let servers = try list.json["servers"]?.array
    #expect(servers?.map { $0["server"]?.string } == [server.url] && servers?[0]["refreshable"] == true, "\(list)")
    #expect(servers?[0]["scopes"]?.array?.contains("read") == true, "\(list)")
    // The session isn't an account.
    let client = ["--client-id", servers?[0]["client_id"]?.string ?? "", "--authority", server.origin]
    try await server.runner.run(["accounts", "--store", "file"] + client).expect(0, stdout: "")

    let logout = try await server.run("logout", ["--json"])
    let report = try logout.json
    #expect(report["signed_out"] == true && report["revocation"] == "not_allowed", "\(logout)")
    try await server.run("token").expect(2)

    // --all signs out of servers too.
    try await server.run("login", Self.browser).expect(0)
    try await server.runner.run(["logout", "--all", "--store", "file"] + client)
      .expect(0, stderr: "msauth: signed out of \(server.url)\n")
    try await server.run("token").expect(2)
    let cache = server.runner.home.read(Home.cacheFile) ?? ""
    for word in ["test_access_token", "test_refresh_token", "client_id"] { #expect(!cache.contains(word), "\(cache)") }
  }

  @Test("a server that trusts the user's own Entra gets a token with its own scopes, and the account is kept")
  func entra() async throws {
    let provider = try await DemoProvider.start(DemoOptions(algorithm: .es256))
    let authority = provider.entraAuthority(tenant: Tenant.contoso.id)
    let scope = "api://orders.example/Orders.Read"
    var server = try await MCPFixture([provider.graphURL + "/v1.0/me", authority + "/v2.0", scope])
    server.runner.environment = [
      "MSAUTH_CLIENT_ID": provider.clientID, "MSAUTH_AUTHORITY": authority, "MSAUTH_AUTHORITY_TYPE": "aad",
    ]

    // Another application's scope requires confirmation, here on the command line.
    try await server.run("login", Self.browser).expect(2, "api://orders.example")
    let child = try server.start("login", ["--no-browser", "--scope", scope])
    _ = try await ScriptedBrowser().walk(from: try await child.printedURL(), as: "ada")
    try await server.runner.outcome(of: child).expect(0)

    let list = try await server.runner.run("mcp", "list", "--json", "--store", "file")
    #expect(list.stdout.contains("\"username\":\"ada@contoso.example\""), "\(list)")
    try await server.runClient("auto", ["--no-browser"]).expect(0, output: "\"text\": true")
    try await server.run("logout").expect(0)
    let accounts = try await server.runner.run("accounts", "--store", "file")
    #expect(accounts.stdout == ada + "\n", "\(accounts)")
  }
}

/// A fastmcp server, and `msauth` with its own home.
private struct MCPFixture: Sendable {
  var runner: CommandRunner
  let origin: String
  private let program: BackgroundProgram

  var url: String { origin + "/mcp" }
  private var words: [String] { ["--store", "file", url] }

  /// With a server that registers clients, which the tests share.
  init() async throws { try await self.init(Self.shared.value) }

  init(_ arguments: [String]) async throws { try await self.init(Self.server(arguments)) }

  private typealias Server = (origin: String, program: BackgroundProgram)

  private static let shared = Task { try await server([]) }

  private init(_ server: Server) throws {
    (origin, program) = server
    runner = try CommandRunner()
  }

  private static func server(_ arguments: [String]) async throws -> Server {
    let port = try freePort()
    let origin = "http://127.0.0.1:\(port)"
    let ready = origin + "/.well-known/oauth-protected-resource/mcp"
    return (origin, try await BackgroundProgram(provider: "mcp-server.py", ["\(port)"] + arguments, readyAt: ready))
  }

  func start(_ command: String, _ options: [String] = []) throws -> ChildProcess {
    try runner.start(["mcp", command] + options + words)
  }

  func run(_ command: String, _ options: [String] = []) async throws -> CommandRunner.Outcome {
    try await runner.outcome(of: start(command, options))
  }

  /// Runs `mcp-client.py` with `msauth mcp connect` as its server.
  func runClient(_ mode: String, _ options: [String]) async throws -> CommandRunner.Outcome {
    let client = [try BuiltProducts.python(), BuiltProducts.fixture("mcp-client.py"), mode]
    return try await runner.run(program: client + [BuiltProducts.msauth, "mcp", "connect"] + options + words)
  }
}
