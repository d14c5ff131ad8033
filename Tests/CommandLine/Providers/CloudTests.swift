@testable import DemoProvider
import MSAuthCrypto
import TestSupport
import Testing

@Suite("multiple clouds: sign-ins redirected to the user's cloud", .limitedConcurrency)
struct CloudTests {
  /// Two clouds with Microsoft's names; Ada's account is in the US government's.
  private struct Fixture {
    static let world = "https://login.microsoftonline.com"
    static let government = "https://login.microsoftonline.us"

    let configured: DemoProvider
    let home: DemoProvider
    let proxy: TLSProxy
    let runner: CommandRunner
    let browser: ScriptedBrowser

    init(at address: String = Self.government, _ configuration: String = #""multiple_clouds_supported": true"#)
      async throws
    {
      var elsewhere = DemoOptions(algorithm: .es256)
      elsewhere.publicURL = address
      home = try await DemoProvider.start(elsewhere)
      var here = DemoOptions(algorithm: .es256)
      here.publicURL = Self.world
      here.homeClouds = ["ada": address]
      configured = try await DemoProvider.start(here)
      func port(_ provider: DemoProvider) throws -> UInt16 {
        try #require(URL(string: provider.baseURL)?.port.map { UInt16($0) })
      }
      proxy = try await TLSProxy([
        "login.microsoftonline.com": port(configured), "login.microsoftonline.us": port(home),
        "login.private.example": port(home), "graph.microsoft.us": port(home), "graph.microsoft.com": port(configured),
      ])
      runner = try CommandRunner(environment: proxy.environment)
      let text =
        #"{"client_id": "\#(configured.clientID)", "store": "file", "scopes": ["User.Read"], \#(configuration)}"#
      try runner.home.write(text, to: "config/msauth/config.json")
      browser = ScriptedBrowser(origins: [Self.world: configured.baseURL, address: home.baseURL])
    }

    func login(as user: String = "ada") async throws -> CommandRunner.Outcome {
      let child = try runner.start(["login", "--no-browser"])
      _ = try await browser.walk(from: try await child.printedURL(), as: user)
      return try await runner.outcome(of: child)
    }
  }

  @Test("code, renewals, Graph and sign-out use the user's cloud, never the configured one")
  func otherCloud() async throws {
    let fixture = try await Fixture()
    try await fixture.login().expect(0, stdout: ada + "\n")
    let listed = try await fixture.runner.run("accounts", "--json")
    #expect(listed.stdout.contains(ada), "\(listed)")

    let first = try await fixture.runner.run("token")
    let second = try await fixture.runner.run("token", "--force-refresh")
    #expect(first.code == 0 && second.code == 0 && first.stdout != second.stdout, "\(first)\(second)")
    try await fixture.runner.run("graph", "--no-browser").expect(0, output: ada)

    let logout = try fixture.runner.start(["logout", "--from-browser", "--no-browser"])
    _ = try await fixture.browser.walk(from: try await logout.printedURL(), as: "ada")
    try await fixture.runner.outcome(of: logout).expect(0, "the provider confirmed the sign-out")
    #expect(try await fixture.runner.run("accounts").stdout.isEmpty)

    let paths = await (fixture.configured.record.map(\.path), fixture.home.record.map(\.path))
    #expect(!paths.0.contains { $0.hasSuffix("/token") || $0.hasSuffix("/logout") || $0 == "/v1.0/me" }, "\(paths.0)")
    for end in ["/token", "/logout", "/v1.0/me"] { #expect(paths.1.contains { $0.hasSuffix(end) }, "\(paths.1)") }
  }

  @Test("a user of the configured cloud stays there")
  func atHome() async throws {
    let fixture = try await Fixture()
    try await fixture.login(as: "alan").expect(0, stdout: alan + "\n")
    #expect(await fixture.home.record.isEmpty)
  }

  @Test("an unknown cloud gets no code, and nothing is stored")
  func unknownCloud() async throws {
    let fixture = try await Fixture(at: "https://login.private.example")
    try await fixture.login().expect(1, "login.private.example", #"add an authority of that host to "authorities""#)
    #expect(await !fixture.home.record.contains { $0.path.hasSuffix("/token") })
    #expect(try await fixture.runner.run("accounts").stdout.isEmpty)
  }

  @Test("a configured authority makes its cloud trusted")
  func knownAuthority() async throws {
    let authorities = """
      "multiple_clouds_supported": true, "authorities": [
        {"type": "AAD", "authority_url": "https://login.microsoftonline.com/common", "default": true},
        {"type": "AAD", "authority_url": "https://login.private.example/common"}
      ]
      """
    let fixture = try await Fixture(at: "https://login.private.example", authorities)
    try await fixture.login().expect(0, stdout: ada + "\n")
    try await fixture.runner.run("token", "--force-refresh").expect(0)
  }

  @Test("without multiple clouds, Entra rejects the user, and msauth explains the error")
  func oneCloud() async throws {
    let fixture = try await Fixture(at: Fixture.government, #""timeout": 60"#)
    try await fixture.login().expect(1, "multiple_clouds_supported")
  }
}
