import TestSupport
import Testing

@Suite("choosing and opening the browser", .limitedConcurrency)
struct BrowserTests {
  @Test("without a display, the URL is on stderr and the sign-in completes elsewhere")
  func noDisplay() async throws {
    let fixture = try await ProviderMockFixture()
    let login = try await fixture.startLogin()
    let walk = try await fixture.provider.signIn(at: login.url)
    #expect(try walk.page.body.contains("Signed in as"))
    let outcome = try await fixture.runner.outcome(of: login.child)
    #expect(outcome.code == 0 && outcome.stdout == ProviderMock.username + "\n", "\(outcome)")
    #expect(outcome.stderr.contains("hint:"), "the reason is missing: \(outcome)")
  }

  @Test("--no-browser opens no browser, not even $BROWSER")
  func noBrowser() async throws {
    let fixture = try await ProviderMockFixture()
    let marker = fixture.home.path("opened")
    let script = try fixture.home.write("#!/bin/sh\ntouch \(marker)\n", to: "browser", mode: 0o700)
    let runner = CommandRunner(home: fixture.home, environment: ["BROWSER": script, "DISPLAY": ":9999"])
    let login = try await PendingLogin(
      runner.start(["login", "--no-browser", "--scope", "openid"] + fixture.identity)
    )
    #expect(try await fixture.complete(login).code == 0)
    #expect(fixture.home.read("opened") == nil)
  }

  @Test("$BROWSER is a colon-separated list with %s; the first that works gets a link as a single argument")
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
    #expect(try await fixture.complete(login).code == 0)
  }

  @Test("-q prints the URL only if no browser opened")
  func quiet() async throws {
    let fixture = try await ProviderMockFixture()
    let script = try fixture.home.writeBrowser(to: "seen")
    let child = try fixture.start(["login", "-q", "--scope", "openid", "--browser", script])
    let link = try await eventually("the browser") { fixture.home.read("seen") }
    let page = try await HTTPClient.send("GET", link.filter { !$0.isNewline }).header("location")
    _ = try await fixture.provider.signIn(at: try #require(page))
    let outcome = try await fixture.runner.outcome(of: child)
    #expect(outcome.code == 0 && outcome.stderr.isEmpty, "\(outcome)")

    let unopened = try await fixture.startLogin("-q")
    #expect(try await fixture.complete(unopened).code == 0)
  }

  // The test's home ends it.
  @Test("a browser that keeps running doesn't block the sign-in")
  func browserThatStays() async throws {
    let fixture = try await ProviderMockFixture()
    let file = try fixture.home.write(
      "#!/bin/sh\necho noise; echo noise >&2\nwhile [ -e \"$0\" ]; do sleep 1; done\n",
      to: "browser",
      mode: 0o700
    )
    let login = try await fixture.startLogin("--browser", file)
    _ = try await fixture.provider.signIn(at: login.url)
    let outcome = try await fixture.runner.outcome(of: login.child, by: .after(30))
    #expect(outcome.code == 0 && outcome.stdout == ProviderMock.username + "\n", "\(outcome)")
    #expect(!outcome.stderr.contains("noise"), "\(outcome)")
  }

  private static let failing = "#!/bin/sh\necho noise; echo noise >&2\nexit 3\n"

  @Test("on a terminal, the sign-in continues at the printed link if every browser fails")
  func failingBrowserOnTerminal() async throws {
    let fixture = try await ProviderMockFixture()
    let file = try fixture.home.write(Self.failing, to: "browser", mode: 0o700)
    let child = try fixture.runner.startOnTerminal(
      ["login", "--scope", "openid", "--browser", file] + fixture.identity
    )
    let link = try await eventually("the link") {
      child.stdout.split(whereSeparator: \.isWhitespace).first { $0.contains("/go/") }.map(String.init)
    }
    let address = try #require(try await HTTPClient.send("GET", link).header("location"))
    _ = try await fixture.provider.signIn(at: address)
    let outcome = try await fixture.runner.outcome(of: child)
    #expect(outcome.code == 0 && outcome.stdout.contains("ended with status 3"), "\(outcome)")
    #expect(!outcome.stdout.contains("noise"), "\(outcome)")
  }

  @Test(
    "without a terminal, a sign-in fails at once if every browser fails",
    arguments: ["nosuchbrowser", "/bin/false", "sh -c 'exit 3' %s"],
    [["login", "--scope", "openid"], ["token", "--interactive"], ["graph", "--endpoint", "http://127.0.0.1:1"]]
  )
  func failingBrowser(browser: String, command: [String]) async throws {
    let fixture = try await ProviderMockFixture()
    let outcome = try await fixture.run(command + ["--browser", browser])
    #expect(outcome.code == 2 && outcome.stdout.isEmpty, "\(outcome)")
    #expect(outcome.stderr.contains("no browser was opened: "), "\(outcome)")
    #expect(outcome.stderr.contains("hint: check --browser") && outcome.stderr.contains("--no-browser"), "\(outcome)")
  }

  @Test("on a terminal, a local browser gets a short link, and a line shows the time left")
  func terminal() async throws {
    let fixture = try await ProviderMockFixture()
    let browser = try fixture.home.write("#!/bin/sh\nexit 0\n", to: "browser", mode: 0o700)
    let child = try fixture.runner.startOnTerminal(
      ["login", "--scope", "openid", "--browser", browser, "--timeout", "6"] + fixture.identity
    )
    let outcome = try await fixture.runner.outcome(of: child)
    #expect(outcome.code == 4, "\(outcome)")
    #expect(!outcome.stdout.contains("state="), "the whole URL is only for a browser elsewhere: \(outcome)")
    let link = try #require(outcome.stdout.split(whereSeparator: \.isWhitespace).first { $0.contains("/go/") })
    #expect(link.hasPrefix("http://127.0.0.1:") && link.count < 60, "\(outcome)")
    #expect(
      outcome.stdout.contains("msauth: waiting for the browser, 0:06 left; Ctrl-C cancels\r\u{1b}[K"),
      "\(outcome)"
    )
    #expect(
      outcome.stdout.contains("0:0\(1)") || outcome.stdout.contains("0:02"),
      "the countdown is missing: \(outcome)"
    )
    // Printed while waiting, with one idea per line, and not again at the end.
    let lines = outcome.stdout.split(whereSeparator: \.isNewline)
    let hints = lines.filter { $0.contains("if the browser shows an error") || $0.contains("  no window? ") }
    #expect(hints.count == 2, "\(outcome)")
    #expect(hints.first?.hasSuffix(" http://127.0.0.1/") == true && hints.last?.hasSuffix(" --device-code") == true)
    #expect(outcome.stdout.contains("no response from the browser within 6 s"), "\(outcome)")
  }

  @Test("a terminal that can't move its cursor gets a single line with the timeout")
  func dumbTerminal() async throws {
    let fixture = try await ProviderMockFixture()
    var runner = fixture.runner
    runner.environment["TERM"] = "dumb"
    let outcome = try await runner.runOnTerminal(
      ["login", "--scope", "openid", "--no-browser", "--timeout", "2"] + fixture.identity
    )
    #expect(outcome.code == 4 && outcome.stdout.contains("/go/"), "\(outcome)")
    #expect(outcome.stdout.contains("waiting up to 2 s for the browser; Ctrl-C cancels"), "\(outcome)")
    #expect(!outcome.stdout.contains("\u{1b}"), "\(outcome)")
  }

  @Test("over SSH, a link is printed with the port forwarding command")
  func overSSH() async throws {
    let fixture = try await ProviderMockFixture()
    var runner = fixture.runner
    runner.environment = ["SSH_CONNECTION": "203.0.113.5 50000 192.0.2.1 2222", "LOGNAME": "ann"]
    let outcome = try await runner.runOnTerminal(["login", "--scope", "openid", "--timeout", "1"] + fixture.identity)
    #expect(outcome.code == 4 && outcome.stdout.contains("/go/") && !outcome.stdout.contains("state="), "\(outcome)")
    #expect(outcome.stdout.contains("on the computer with the browser run `ssh -L "), "\(outcome)")
    let target = "-p 2222 ann@192.0.2.1`, then open the address there, or use msauth login --scope openid "
    #expect(outcome.stdout.contains(target), "\(outcome)")
    #expect(outcome.stdout.contains("msauth:   msauth login --via ssh://ann@192.0.2.1:2222\r\n"), "\(outcome)")
  }

  @Test("an interactive sign-in fails at once on a build server", arguments: ["login", "token --interactive", "graph"])
  func buildServer(command: String) async throws {
    let fixture = try await ProviderMockFixture()
    var runner = fixture.runner
    runner.environment["CI"] = "true"
    let words = command.split(separator: " ").map(String.init)
    let more = words[0] == "graph" ? ["--endpoint", "http://127.0.0.1:1"] : []
    let outcome = try await runner.run(words + fixture.identity + more)
    #expect(outcome.code == 2 && outcome.stdout.isEmpty, "\(outcome)")
    #expect(outcome.stderr.contains("no terminal and no display"), "\(outcome)")
    #expect(outcome.stderr.contains("--device-code"), "\(outcome)")
    #expect(!outcome.stderr.contains("state="), "\(outcome)")
  }

  @Test(
    "an authorization endpoint that isn't an http(s) URL is rejected, and no browser starts",
    arguments: ["javascript:alert(1)", "file:///etc/passwd", "--help", "https://id.example/$(id) x", "https://a@b/"]
  )
  func hostileEndpoint(endpoint: String) async throws {
    let provider = try ScriptedServer { _, base in
      .json(
        #"{"issuer": "\#(base)", "authorization_endpoint": "\#(endpoint)", "token_endpoint": "\#(base)/token", "#
          + #""jwks_uri": "\#(base)/keys", "response_types_supported": ["code"]}"#
      )
    }
    let home = try Home()
    let runner = CommandRunner(home: home)
    let browser = try home.writeBrowser(to: "seen")
    let identity = ["--authority", provider.url, "--client-id", "app", "--store", "file"]
    let outcome = try await runner.run(["login", "--browser", browser] + identity)
    #expect(outcome.code == 1 && outcome.stderr.contains("authorization_endpoint"), "\(outcome)")
    #expect(home.read("seen") == nil && !outcome.stderr.contains("state="), "\(outcome)")
  }

  @Test("a missing browser is named, and no other is opened instead")
  func noSuchBrowser() async throws {
    let fixture = try await ProviderMockFixture()
    let other = try fixture.home.write("#!/bin/sh\ntouch \(fixture.home.path("opened"))\n", to: "other", mode: 0o700)
    let runner = CommandRunner(home: fixture.home, environment: ["BROWSER": other])
    let outcome = try await runner.runOnTerminal(
      ["login", "--scope", "openid", "--browser", "nosuchbrowser", "--timeout", "1"] + fixture.identity
    )
    #expect(outcome.code == 4 && outcome.stdout.contains("there is no program nosuchbrowser"), "\(outcome)")
    #expect(outcome.stdout.contains("check --browser, or") && fixture.home.read("opened") == nil, "\(outcome)")
  }

  @Test("if no browser was opened, the timeout's hint doesn't mention a window", arguments: [true, false])
  func hintWithoutBrowser(opensBrowser: Bool) async throws {
    let fixture = try await ProviderMockFixture()
    let browser = opensBrowser ? ["--browser", try fixture.home.writeBrowser(to: "seen")] : ["--no-browser"]
    let outcome = try await fixture.run(["login", "--scope", "openid", "--timeout", "0.1"] + browser)
    #expect(outcome.code == 4 && outcome.stderr.contains("try again with a longer --timeout"), "\(outcome)")
    #expect(outcome.stderr.contains("no window?") == opensBrowser, "\(outcome)")
  }

  @Test(
    "a rejected redirect gets one line, and the sign-in continues",
    arguments: [["state": "bogus", "code": "c"], ["code": "c"], ["state": "STATE", "code": "c", "error": "e"]]
  )
  func refusedAnswer(fields: [String: String]) async throws {
    let fixture = try await ProviderMockFixture()
    let login = try await fixture.startLogin()
    let state = try #require(login.parameters["state"])
    let redirect = login.redirect(fields.mapValues { $0 == "STATE" ? state : $0 })
    #expect(try await HTTPClient.send("GET", redirect).status == 400)
    // Any local program may visit the page without affecting the sign-in.
    _ = try await HTTPClient.send("GET", "http://127.0.0.1:\(login.port)/")
    let outcome = try await fixture.complete(login)
    let lines = outcome.stderr.split(separator: "\n").filter { $0.contains("rejected a response that doesn't belong") }
    #expect(outcome.code == 0 && lines.count == 1, "\(outcome)")
  }

  @Test("with -v, a hundred stray requests get a line each, and the last line announces the limit")
  func strayRequests() async throws {
    let fixture = try await ProviderMockFixture()
    let login = try await fixture.startLogin("-v")
    for _ in 0..<120 { _ = try await HTTPClient.send("GET", "http://127.0.0.1:\(login.port)/favicon.ico") }
    let outcome = try await fixture.complete(login)
    let lines = outcome.stderr.split(separator: "\n").filter { $0.contains("ignored a request") }
    #expect(outcome.code == 0 && lines.count == 100, "\(outcome)")
    #expect(lines.last?.hasSuffix("no more of these are reported") == true, "\(outcome)")
  }
}
