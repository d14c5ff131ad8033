import TestSupport
import Testing

@Suite("failed sign-ins", .limitedConcurrency)
struct FailureTests {
  private func expectNothingStored(in home: Home) {
    let cache = home.read(ProviderMockFixture.cacheFile) ?? ""
    for word in ["\"secret\"", "\"username\"", "home_account_id"] {
      #expect(!cache.contains(word), "stored: \(cache)")
    }
  }

  private func startLogin(_ runner: CommandRunner, _ authority: String, _ more: String...) throws -> ChildProcess {
    try runner.start(
      ["login", "--authority", authority, "--client-id", "fixture", "--store", "file", "--scope", "openid"] + more
    )
  }

  @Test("a denied consent exits 3, is shown on the page, and stores nothing", arguments: ["query", "form_post"])
  func denied(mode: String) async throws {
    let provider = try ScriptedProvider.start()
    let runner = CommandRunner(home: try Home())
    let login = try await PendingLogin(startLogin(runner, provider.url, "--response-mode", mode))
    #expect(login.parameters["response_mode"] == mode || mode == "query" && login.parameters["response_mode"] == nil)
    let fields = [
      "error": "access_denied", "error_subcode": "cancel", "state": try #require(login.parameters["state"]),
      "error_description": "<script>alert(1)</script>The person\u{1b}[31m said no",
    ]

    let page: HTTPClient.Response
    if mode == "query" {
      page = try await RedirectChain.from(login.redirect(fields)).page
    } else {
      let answer = try await HTTPClient.post(login.redirectURI, form: fields)
      #expect(answer.status == 303)
      page = try await RedirectChain.from(RedirectChain.resolve(answer.header("location"), at: login.redirectURI)).page
    }
    #expect(page.body.contains("denied") || page.body.contains("canceled"), "\(page)")
    #expect(!page.body.contains("Signed in as") && !page.body.contains("<script"), "\(page)")
    let outcome = try await runner.outcome(of: login.child)
    #expect(outcome.code == 3 && outcome.stdout.isEmpty, "\(outcome)")
    #expect(!outcome.stderr.contains("\u{1b}"), "\(outcome)")
    expectNothingStored(in: runner.home)
    #expect(!provider.requests.contains { $0.path == "/token" })
  }

  @Test("without libcrypto, msauth exits 1 and names the package; commands without hashes work")
  func noLibcrypto() async throws {
    let home = try Home()
    let library = try await PreloadedLibrary(PreloadedLibrary.noLibcrypto, in: home)
    let runner = CommandRunner(home: home, environment: library.environment)
    let login = try await runner.outcome(of: startLogin(runner, "http://127.0.0.1:1", "--no-browser"))
    #expect(login.code == 1 && login.stdout.isEmpty, "\(login)")
    let lines = login.stderr.split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("msauth: OpenSSL's libcrypto is needed") }, "\(login)")
    #expect(lines.contains { $0.hasPrefix("msauth: hint: install it") }, "\(login)")
    #expect(try await runner.run("--version").code == 0)
  }

  @Test("idle connections don't extend the timeout")
  func timeoutWithIdleConnections() async throws {
    let provider = try ScriptedProvider.start()
    let runner = CommandRunner(home: try Home())
    let login = try await PendingLogin(startLogin(runner, provider.url, "--timeout", "6"))
    let idle = try await login.probe.idleConnections(5)
    #expect(try await runner.outcome(of: login.child, by: .after(30)).code == 4)
    _ = idle
  }

  @Test("an unreachable provider exits 5 with its host and port")
  func providerDown() async throws {
    let host = "127.0.0.1:\(try freePort())"
    let runner = CommandRunner(home: try Home())
    let outcome = try await runner.outcome(of: startLogin(runner, "http://\(host)"))
    #expect(outcome.code == 5 && outcome.stdout.isEmpty, "\(outcome)")
    #expect(outcome.stderr.contains(host), "\(outcome)")
  }

  @Test("an unknown client exits 1 with the provider's error and its escaped description")
  func wrongClient() async throws {
    let provider = try ScriptedProvider.start { _ in
      .json(
        #"{"error": "invalid_client", "error_description": "No \u001b[31mclient\u001b[0m\u0007 fixture\u202e here"}"#,
        status: 401
      )
    }
    let runner = CommandRunner(home: try Home())
    let login = try await PendingLogin(startLogin(runner, provider.url, "--response-mode", "query"))
    let walk = try await RedirectChain.from(
      login.redirect(["code": "c0de-of-the-test", "state": try #require(login.parameters["state"])])
    )
    let page = try walk.page
    #expect(!page.body.contains("Signed in as"), "\(page)")
    let outcome = try await runner.outcome(of: login.child)
    #expect(outcome.code == 1 && outcome.stdout.isEmpty, "\(outcome)")
    #expect(outcome.stderr.contains("invalid_client") && outcome.stderr.contains("fixture"), "\(outcome)")
    for character in ["\u{1b}", "\u{7}", "\u{202e}"] {
      #expect(!outcome.stderr.contains(character), "\(outcome)")
      #expect(!page.body.contains(character), "\(page)")
    }
    #expect(!outcome.stderr.contains("c0de-of-the-test"), "\(outcome)")
    expectNothingStored(in: runner.home)
  }

  @Test("a redirect from the token endpoint isn't followed, so the code is sent nowhere else")
  func redirectingTokenEndpoint() async throws {
    let elsewhere = try ScriptedServer { _, _ in .json("{}") }
    let target = elsewhere.url
    let provider = try ScriptedProvider.start { _ in .init(307, headers: ["Location": "\(target)/token"]) }
    let runner = CommandRunner(home: try Home())
    let login = try await PendingLogin(startLogin(runner, provider.url, "--response-mode", "query"))
    _ = try await RedirectChain.from(login.redirect(["code": "c", "state": try #require(login.parameters["state"])]))
    #expect(try await runner.outcome(of: login.child).code == 1)
    #expect(elsewhere.requests.isEmpty)
  }
}
