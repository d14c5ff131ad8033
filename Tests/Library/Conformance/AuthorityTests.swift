import DemoProvider
import Foundation
import Core
import TestSupport
import Testing

@Suite(
  "authorities under their real names, over TLS: the binary itself, told nothing but the authority's URL",
  .onABench
)
struct AuthorityTests {
  /// A provider behind a TLS front, `msauth`, and a person's browser.
  struct Stage {
    let provider: DemoProvider
    let front: TLSFront
    let runner: CommandRunner
    let walker: ScriptedBrowser
    let identity: [String]

    init(_ story: AuthorityStory) async throws {
      var options = DemoOptions()
      options.publicURL = story.origin
      options.issuerURL = story.issuer
      provider = try await DemoProvider.start(options)
      let port = try #require(URL(string: provider.baseURL)?.port.map { UInt16($0) })
      let hosts = [try #require(URL(string: story.origin)?.host()), story.graphHost].compactMap(\.self)
      front = try await TLSFront(Dictionary(uniqueKeysWithValues: hosts.map { ($0, port) }))
      runner = CommandRunner(home: try Home(), environment: front.environment)
      walker = ScriptedBrowser(origins: [story.origin: provider.baseURL])
      identity = ["--client-id", provider.clientID, "--authority", story.authority, "--store", "file"]
    }

    func start(_ arguments: [String]) throws -> ChildProcess { try runner.start(arguments + identity) }

    func run(_ arguments: [String]) async throws -> CommandRunner.Outcome {
      try await runner.outcome(of: try start(arguments))
    }
  }

  @Test("sign in, hand out, renew, call Graph where it is known, and sign out", arguments: AuthorityStory.all)
  func story(_ story: AuthorityStory) async throws {
    let stage = try await Stage(story)
    let scopes = story.scopes.flatMap { ["--scope", $0] }

    let login = try stage.start(["login", "--no-browser"] + scopes)
    let address = try await login.printedURL()
    #expect(address.hasPrefix(story.origin + "/"))
    let page = try await stage.walker.walk(from: address, as: story.person)
    let signedIn = try await stage.runner.outcome(of: login)
    #expect(signedIn.code == 0 && signedIn.stdout == story.username + "\n", "\(signedIn)\n\(page.response.text)")

    try checkCache(of: stage, story)
    let first = try await stage.run(["token"] + scopes)
    let second = try await stage.run(["token", "--force-refresh"] + scopes)
    #expect(first.code == 0 && second.code == 0 && first.stdout != second.stdout, "\(first)\(second)")
    let refreshes = await stage.provider.record.filter { $0["grant_type"] == "refresh_token" }
    #expect(refreshes.map(\.path) == [story.refreshPath])

    let graph = try await stage.run(["graph", "--no-browser"] + scopes)
    if story.graphHost != nil {
      #expect(graph.code == 0 && graph.stdout.contains(story.username), "\(graph)")
    } else {
      // A token must not go to another cloud's Graph, nor to Microsoft when it is not Microsoft's.
      #expect(graph.code == 78 && graph.stderr.contains("--endpoint"), "\(graph)")
    }

    let logout = try stage.start(["logout", "--from-browser", "--no-browser"])
    _ = try await stage.walker.walk(from: try await logout.printedURL(), as: story.person)
    let signedOut = try await stage.runner.outcome(of: logout)
    #expect(signedOut.code == 0 && signedOut.stderr.contains("the provider confirmed the sign-out"), "\(signedOut)")
    #expect(try await stage.run(["accounts"]).stdout.isEmpty)
    await stage.provider.stop()
  }

  /// The entries are where MSAL looks for them.
  private func checkCache(of stage: Stage, _ story: AuthorityStory) throws {
    let text = try #require(stage.runner.home.read("state/msauth/token_cache.json"))
    let cache = try JSON(parsing: text.utf8)
    let tokens = try #require(cache["AccessToken"]?.object)
    let token = try #require(tokens.values.first?.object)
    #expect(token["environment"]?.string == story.environment && token["realm"]?.string == story.realm)
    #expect(token["home_account_id"]?.string?.hasSuffix(story.identifierEnd) == true, "\(token)")
    let account = try #require(cache["Account"]?.object?.values.first?.object)
    #expect(account["username"]?.string == story.username)
  }
}
