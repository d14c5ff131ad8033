import TestSupport
import Testing

@Suite("choosing and opening the browser", .limitedConcurrency)
struct BrowserTests {
  private let fixture: ProviderMockFixture

  init() async throws { fixture = try await ProviderMockFixture() }

  @Test("without a display, the URL is on stderr and the sign-in completes elsewhere")
  func noDisplay() async throws {
    let login = try await fixture.startLogin()
    #expect(try await fixture.provider.signIn(at: login.url).page.body.contains("Signed in as"))
    try await fixture.runner.outcome(of: login.child).expect(0, "hint:", stdout: ProviderMock.username + "\n")
  }

  @Test("--no-browser opens no browser, not even $BROWSER")
  func noBrowser() async throws {
    var fixture = fixture
    let script = try fixture.home.script("touch \(fixture.home.path("opened"))", to: "browser")
    fixture.runner.environment = ["BROWSER": script, "DISPLAY": ":9999"]
    try await fixture.complete(fixture.startLogin("--no-browser")).expect(0)
    #expect(fixture.home.read("opened") == nil)
  }

  @Test("-q prints the URL only if no browser opened, here $BROWSER")
  func quiet() async throws {
    var fixture = fixture
    fixture.runner.environment["BROWSER"] = try fixture.home.writeBrowser(to: "seen")
    let child = try fixture.start(["login", "-q", "--scope", "openid"])
    let link = try await eventually("the browser") { fixture.home.read("seen") }
    let page = try await HTTPClient.send("GET", link.filter { !$0.isNewline }).header("location")
    _ = try await fixture.provider.signIn(at: try #require(page))
    try await fixture.runner.outcome(of: child).expect(0, stderr: "")

    fixture.runner.environment["BROWSER"] = nil
    try await fixture.complete(fixture.startLogin("-q")).expect(0)
  }

  @Test("on a terminal, the sign-in continues at the printed link if every browser fails")
  func failingBrowserOnTerminal() async throws {
    let file = try fixture.home.script("echo noise; echo noise >&2; exit 3", to: "browser")
    let child = try fixture.startOnTerminal("login", "--scope", "openid", "--browser", file)
    let link = try await eventually("the link") {
      child.stdout.split(whereSeparator: \.isWhitespace).first { $0.contains("/go/") }.map(String.init)
    }
    let address = try #require(try await HTTPClient.send("GET", link).header("location"))
    _ = try await fixture.provider.signIn(at: address)
    try await fixture.runner.outcome(of: child)
      .expect(0, output: "ended with status 3", "check --browser, or open the address", lacks: "noise")
  }

  @Test("a browser of the configuration that fails is named by its source, and only one that opens gets the address")
  func configuredBrowser() async throws {
    let file = "config/msauth/config.json"
    try fixture.home.write(#"{"browser": "/bin/false"}"#, to: file)
    let outcome = try await fixture.run(["login", "--scope", "openid"])
    #expect(outcome.stderr.contains("check \"browser\" in \(fixture.home.path(file)):1"), "\(outcome)")
    #expect(outcome.code == 2 && !outcome.stderr.contains("state="), "\(outcome)")
    try await fixture.run(["login", "--scope", "openid", "--browser", "true", "--timeout", "1"]).expect(4, "state=")
  }

  @Test("on a terminal, a local browser gets a short link, and a line shows the time left")
  func terminal() async throws {
    let outcome = try await fixture.runOnTerminal("login", "--browser", "true", "--timeout", "6")
      .expect(4, lacks: "state=")
    let link = try #require(outcome.stdout.split(whereSeparator: \.isWhitespace).first { $0.contains("/go/") })
    #expect(link.hasPrefix("http://127.0.0.1:") && link.count < 60, "\(outcome)")
    let shown = outcome.stdout.matches(of: /msauth: waiting for the browser, (0:0\d) left; Ctrl-C cancels\r\x1B\[K/)
    #expect(Set(shown.map(\.1)).count > 1, "the countdown is missing: \(outcome)")
    // Printed while waiting, with one idea per line, and not again at the end.
    let lines = outcome.stdout.split(whereSeparator: \.isNewline)
    let hints = lines.filter { $0.contains("if the browser shows an error") || $0.contains("  nothing there? ") }
    #expect(hints.count == 2, "\(outcome)")
    #expect(hints.first?.hasSuffix(" http://127.0.0.1/") == true, "\(outcome)")
    #expect(hints.last?.hasSuffix(" open the address yourself") == true, "the provider has no device codes: \(outcome)")
    #expect(outcome.stdout.contains("no response from the browser within 6 s"), "\(outcome)")
  }

  @Test("a terminal that can't move its cursor gets a single line with the timeout")
  func dumbTerminal() async throws {
    var fixture = fixture
    fixture.runner.environment["TERM"] = "dumb"
    try await fixture.runOnTerminal("login", "--no-browser", "--timeout", "2")
      .expect(4, output: "/go/", "waiting up to 2 s for the browser; Ctrl-C cancels", lacks: "\u{1b}")
  }

  @Test("over SSH, a link is printed with the port forwarding command")
  func overSSH() async throws {
    var fixture = fixture
    fixture.runner.environment = ["SSH_CONNECTION": "203.0.113.5 50000 192.0.2.1 2222", "LOGNAME": "ann"]
    let outcome = try await fixture.runner.runOnTerminal(
      ["login", "--scope", "openid", "--timeout", "1"] + fixture.identity
    ).expect(4, output: "/go/", "on the computer with the browser run `ssh -L ", lacks: "state=")
    let target = "-p 2222 ann@192.0.2.1`, then open the address there\r\n"
    #expect(outcome.stdout.contains(target), "\(outcome)")
    #expect(outcome.stdout.contains("msauth:   msauth login --via ssh://ann@192.0.2.1:2222\r\n"), "\(outcome)")
    #expect(!outcome.stdout.contains("nothing there?"), "no browser was opened: \(outcome)")
  }

  @Test(
    "an interactive sign-in fails at once on a build server",
    arguments: [["login"], ["token", "--interactive"], ["graph", "--endpoint", "http://127.0.0.1:1"]]
  )
  func buildServer(command: [String]) async throws {
    var fixture = fixture
    fixture.runner.environment["CI"] = "true"
    try await fixture.run(command).expect(2, "no terminal and no display", "--device-code", stdout: "", lacks: "state=")
  }

  @Test("a missing browser is named, and no other is opened instead")
  func noSuchBrowser() async throws {
    var fixture = fixture
    let other = try fixture.home.script("touch \(fixture.home.path("opened"))", to: "other")
    fixture.runner.environment = ["BROWSER": other]
    let outcome = try await fixture.runOnTerminal("login", "--browser", "nosuchbrowser", "--timeout", "1")
    #expect(outcome.code == 4 && outcome.stdout.contains("nosuchbrowser: command not found"), "\(outcome)")
    #expect(outcome.stdout.contains("check --browser, or") && fixture.home.read("opened") == nil, "\(outcome)")
  }

  @Test("a rejected redirect gets one line, and the sign-in continues")
  func rejectedRedirect() async throws {
    let login = try await fixture.startLogin()
    #expect(try await HTTPClient.send("GET", login.redirect(["state": "bogus", "code": "c"])).status == 400)
    // Any local program may request the page.
    _ = try await HTTPClient.send("GET", "http://127.0.0.1:\(login.port)/")
    let outcome = try await fixture.complete(login)
    let lines = outcome.stderr.split(separator: "\n").filter { $0.contains("rejected a response that doesn't belong") }
    #expect(outcome.code == 0 && lines.count == 1, "\(outcome)")
  }

  @Test("with -v, a hundred stray requests get a line each, and the last line announces the limit")
  func strayRequests() async throws {
    let login = try await fixture.startLogin("-v")
    for _ in 0..<120 { _ = try await HTTPClient.send("GET", "http://127.0.0.1:\(login.port)/favicon.ico") }
    let outcome = try await fixture.complete(login)
    let lines = outcome.stderr.split(separator: "\n").filter { $0.contains("ignored a request") }
    #expect(outcome.code == 0 && lines.count == 100, "\(outcome)")
    #expect(lines.last?.hasSuffix("no more of these are reported") == true, "\(outcome)")
  }
}
