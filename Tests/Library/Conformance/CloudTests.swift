import DemoProvider
import Foundation
import Core
import TestSupport
import Testing

@Suite("several clouds: a sign-in that is sent on to the person's own", .onABench)
struct CloudTests {
  /// Two clouds with Microsoft's names: Ada lives in the one of the United States' government.
  private struct Stage {
    static let world = "https://login.microsoftonline.com"
    static let government = "https://login.microsoftonline.us"

    let asked: DemoProvider
    let home: DemoProvider
    let front: TLSFront
    let runner: CommandRunner
    let walker: ScriptedBrowser

    /// - Parameters:
    ///   - address: What the other cloud calls itself.
    ///   - configuration: Further keys of the configuration file.
    /// - Throws: What starting the providers throws.
    init(at address: String = Self.government, _ configuration: String = #""multiple_clouds_supported": true"#)
      async throws
    {
      var elsewhere = DemoOptions()
      elsewhere.publicURL = address
      home = try await DemoProvider.start(elsewhere)
      var here = DemoOptions()
      here.publicURL = Self.world
      here.homeClouds = ["ada": address]
      asked = try await DemoProvider.start(here)
      func port(_ provider: DemoProvider) throws -> UInt16 {
        try #require(URL(string: provider.baseURL)?.port.map { UInt16($0) })
      }
      front = try await TLSFront([
        "login.microsoftonline.com": port(asked), "login.microsoftonline.us": port(home),
        "login.private.example": port(home), "graph.microsoft.us": port(home), "graph.microsoft.com": port(asked),
      ])
      let files = try Home()
      try files.write(
        #"{"client_id": "\#(asked.clientID)", "store": "file", "scopes": ["User.Read"], \#(configuration)}"#,
        to: "config/msauth/config.json"
      )
      runner = CommandRunner(home: files, environment: front.environment)
      walker = ScriptedBrowser(origins: [Self.world: asked.baseURL, address: home.baseURL])
    }

    func login(as person: String = "ada") async throws -> CommandRunner.Outcome {
      let child = try runner.start(["login", "--no-browser"])
      _ = try await walker.walk(from: try await child.printedURL(), as: person)
      return try await runner.outcome(of: child)
    }

    func stop() async {
      await asked.stop()
      await home.stop()
    }
  }

  @Test("code, renewals, Graph and sign-out go to the person's cloud, and none of them to the configured one")
  func sentOn() async throws {
    let stage = try await Stage()
    let signedIn = try await stage.login()
    #expect(signedIn.code == 0 && signedIn.stdout == "ada@contoso.example\n", "\(signedIn)")
    let listed = try await stage.runner.run("accounts", "--json")
    #expect(listed.stdout.contains("ada@contoso.example"), "\(listed)")

    let first = try await stage.runner.run("token")
    let second = try await stage.runner.run("token", "--force-refresh")
    #expect(first.code == 0 && second.code == 0 && first.stdout != second.stdout, "\(first)\(second)")
    let graph = try await stage.runner.run("graph", "--no-browser")
    #expect(graph.code == 0 && graph.stdout.contains("ada@contoso.example"), "\(graph)")

    let logout = try stage.runner.start(["logout", "--from-browser", "--no-browser"])
    _ = try await stage.walker.walk(from: try await logout.printedURL(), as: "ada")
    let signedOut = try await stage.runner.outcome(of: logout)
    #expect(signedOut.code == 0 && signedOut.stderr.contains("the provider confirmed the sign-out"), "\(signedOut)")
    #expect(try await stage.runner.run("accounts").stdout.isEmpty)

    let paths = await (stage.asked.record.map(\.path), stage.home.record.map(\.path))
    #expect(!paths.0.contains { $0.hasSuffix("/token") || $0.hasSuffix("/logout") || $0 == "/v1.0/me" }, "\(paths.0)")
    for end in ["/token", "/logout", "/v1.0/me"] { #expect(paths.1.contains { $0.hasSuffix(end) }, "\(paths.1)") }
    await stage.stop()
  }

  @Test("who lives in the configured cloud stays there")
  func athome() async throws {
    let stage = try await Stage()
    let signedIn = try await stage.login(as: "alan")
    #expect(signedIn.code == 0 && signedIn.stdout == "alan@contoso.example\n", "\(signedIn)")
    #expect(await stage.home.record.isEmpty)
    await stage.stop()
  }

  @Test("a cloud that nobody vouches for gets no code, and nothing is stored")
  func unknownCloud() async throws {
    let stage = try await Stage(at: "https://login.private.example")
    let refused = try await stage.login()
    #expect(refused.code == 1 && refused.stderr.contains("login.private.example"), "\(refused)")
    #expect(refused.stderr.contains(#"add an authority of that host to "authorities""#), "\(refused)")
    #expect(await !stage.home.record.contains { $0.path.hasSuffix("/token") })
    #expect(try await stage.runner.run("accounts").stdout.isEmpty)
    await stage.stop()
  }

  @Test("an authority of the configuration vouches for its cloud")
  func knownAuthority() async throws {
    let authorities = """
      "multiple_clouds_supported": true, "authorities": [
        {"type": "AAD", "authority_url": "https://login.microsoftonline.com/common", "default": true},
        {"type": "AAD", "authority_url": "https://login.private.example/common"}
      ]
      """
    let stage = try await Stage(at: "https://login.private.example", authorities)
    let signedIn = try await stage.login()
    #expect(signedIn.code == 0 && signedIn.stdout == "ada@contoso.example\n", "\(signedIn)")
    #expect(try await stage.runner.run("token", "--force-refresh").code == 0)
    await stage.stop()
  }

  @Test("without several clouds Entra refuses the person, and msauth tells why")
  func oneCloud() async throws {
    let stage = try await Stage(at: Stage.government, #""timeout": 60"#)
    let refused = try await stage.login()
    #expect(refused.code == 1 && refused.stderr.contains("multiple_clouds_supported"), "\(refused)")
    await stage.stop()
  }
}
