import DemoProvider
import TestSupport
import Testing

@Suite(
  "authorities under their real names, over TLS: the binary itself, given nothing but the authority's URL",
  .limitedConcurrency
)
struct AuthorityTests {
  /// A provider behind a TLS proxy, `msauth`, and a person's browser.
  struct Fixture {
    let provider: DemoProvider
    let proxy: TLSProxy
    let runner: CommandRunner
    let walker: ScriptedBrowser
    let identity: [String]

    init(_ example: AuthorityCase) async throws {
      var options = DemoOptions()
      options.publicURL = example.origin
      options.issuerURL = example.issuer
      provider = try await DemoProvider.start(options)
      let port = try #require(URL(string: provider.baseURL)?.port.map { UInt16($0) })
      let hosts = [try #require(URL(string: example.origin)?.host()), example.graphHost].compactMap(\.self)
      proxy = try await TLSProxy(Dictionary(uniqueKeysWithValues: hosts.map { ($0, port) }))
      runner = CommandRunner(home: try Home(), environment: proxy.environment)
      walker = ScriptedBrowser(origins: [example.origin: provider.baseURL])
      identity = ["--client-id", provider.clientID, "--authority", example.authority, "--store", "file"]
    }

    func start(_ arguments: [String]) throws -> ChildProcess { try runner.start(arguments + identity) }

    func run(_ arguments: [String]) async throws -> CommandRunner.Outcome {
      try await runner.outcome(of: try start(arguments))
    }
  }

  @Test("sign in, hand out, renew, call Graph where it is known, and sign out", arguments: AuthorityCase.all)
  func example(_ example: AuthorityCase) async throws {
    let fixture = try await Fixture(example)
    let scopes = example.scopes.flatMap { ["--scope", $0] }

    let login = try fixture.start(["login", "--no-browser"] + scopes)
    let address = try await login.printedURL()
    #expect(address.hasPrefix(example.origin + "/"))
    let page = try await fixture.walker.walk(from: address, as: example.person)
    let signedIn = try await fixture.runner.outcome(of: login)
    #expect(signedIn.code == 0 && signedIn.stdout == example.username + "\n", "\(signedIn)\n\(page.response.text)")

    try checkCache(of: fixture, example)
    let first = try await fixture.run(["token"] + scopes)
    let second = try await fixture.run(["token", "--force-refresh"] + scopes)
    #expect(first.code == 0 && second.code == 0 && first.stdout != second.stdout, "\(first)\(second)")
    let refreshes = await fixture.provider.record.filter { $0["grant_type"] == "refresh_token" }
    #expect(refreshes.map(\.path) == [example.refreshPath])

    let graph = try await fixture.run(["graph", "--no-browser"] + scopes)
    if example.graphHost != nil {
      #expect(graph.code == 0 && graph.stdout.contains(example.username), "\(graph)")
    } else {
      // A token must not go to another cloud's Graph, nor to Microsoft when it is not Microsoft's.
      #expect(graph.code == 78 && graph.stderr.contains("--endpoint"), "\(graph)")
    }

    let logout = try fixture.start(["logout", "--from-browser", "--no-browser"])
    _ = try await fixture.walker.walk(from: try await logout.printedURL(), as: example.person)
    let signedOut = try await fixture.runner.outcome(of: logout)
    #expect(signedOut.code == 0 && signedOut.stderr.contains("the provider confirmed the sign-out"), "\(signedOut)")
    #expect(try await fixture.run(["accounts"]).stdout.isEmpty)
    await fixture.provider.stop()
  }

  /// The entries are where MSAL looks for them.
  private func checkCache(of fixture: Fixture, _ example: AuthorityCase) throws {
    let text = try #require(fixture.runner.home.read("state/msauth/token_cache.json"))
    let cache = try JSONValue(parsing: text.utf8)
    let tokens = try #require(cache["AccessToken"]?.object)
    let token = try #require(tokens.values.first?.object)
    #expect(token["environment"]?.string == example.environment && token["realm"]?.string == example.realm)
    #expect(token["home_account_id"]?.string?.hasSuffix(example.identifierEnd) == true, "\(token)")
    let account = try #require(cache["Account"]?.object?.values.first?.object)
    #expect(account["username"]?.string == example.username)
  }
}
