import TestSupport
import Testing

@Suite("the browser that is opened, or is not", .limitedConcurrency)
struct BrowserTests {
  @Test("without a display the URL is on stderr, and the flow completes when somebody opens it")
  func noDisplay() async throws {
    let fixture = try await ProviderMockFixture()
    let login = try await fixture.startLogin()
    let walk = try await fixture.provider.signIn(at: login.url)
    #expect(try walk.page.body.contains("Signed in as"))
    let outcome = try await fixture.runner.outcome(of: login.child)
    #expect(outcome.code == 0 && outcome.stdout == ProviderMock.username + "\n", "\(outcome)")
    #expect(outcome.stderr.contains("hint:"), "it does not say why no browser came: \(outcome)")
  }

  @Test("--no-browser opens none, not even where $BROWSER names one")
  func noBrowser() async throws {
    let fixture = try await ProviderMockFixture()
    let marker = fixture.home.path("opened")
    let script = try fixture.home.write("#!/bin/sh\ntouch \(marker)\n", to: "browser", mode: 0o700)
    let runner = CommandRunner(home: fixture.home, environment: ["BROWSER": script, "DISPLAY": ":9999"])
    let login = try await PendingLogin(
      runner.start(["login", "--no-browser", "--scope", "openid"] + fixture.identity)
    )
    _ = try await fixture.provider.signIn(at: login.url)
    #expect(try await runner.outcome(of: login.child).code == 0)
    #expect(fixture.home.read("opened") == nil)
  }

  @Test("$BROWSER is a colon list with %s; the first that works gets a link to the URL as one argument")
  func browserVariable() async throws {
    let fixture = try await ProviderMockFixture()
    let seen = fixture.home.path("seen")
    let script = try fixture.home.write(
      "#!/bin/sh\nfor a in \"$@\"; do echo \"$a\"; done > \(seen).new; mv \(seen).new \(seen)\n",
      to: "browser",
      mode: 0o700
    )
    let list = "/nonexistent/browser:/bin/false:\(script) --new-window %s"
    let runner = CommandRunner(home: fixture.home, environment: ["BROWSER": list])
    let login = try await PendingLogin(runner.start(["login", "--scope", "openid"] + fixture.identity))
    let arguments = try await eventually("the browser") { fixture.home.read("seen") }
    let lines = arguments.split(separator: "\n").map(String.init)
    #expect(lines.count == 2 && lines.first == "--new-window", "\(arguments)")
    #expect(try await HTTPClient.send("GET", try #require(lines.last)).header("location") == login.url)
    _ = try await fixture.provider.signIn(at: login.url)
    #expect(try await runner.outcome(of: login.child).code == 0)
  }

  @Test("a browser that stays and a browser that fails both let the sign-in go on", arguments: ["sleep 600", "exit 3"])
  func oddBrowsers(script: String) async throws {
    let fixture = try await ProviderMockFixture()
    let file = try fixture.home.write("#!/bin/sh\necho noise; echo noise >&2\n\(script)\n", to: "browser", mode: 0o700)
    let login = try await fixture.startLogin("--browser", file)
    _ = try await fixture.provider.signIn(at: login.url)
    let outcome = try await fixture.runner.outcome(of: login.child, by: .after(30))
    #expect(outcome.code == 0 && outcome.stdout == ProviderMock.username + "\n", "\(outcome)")
    #expect(!outcome.stderr.contains("noise"), "\(outcome)")
  }
}
