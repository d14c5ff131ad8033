import TestSupport
import Testing

@Suite("sign-out in the browser", .limitedConcurrency)
struct BrowserSignOutTests {
  @Test("only a request with the right state ends the wait; the local tokens are removed first")
  func confirmed() async throws {
    let fixture = try await ProviderMockFixture.signedIn()
    let idToken = try #require(fixture.provider.proxy.values(of: "id_token").first)
    let logout = try await PendingLogin(fixture.start(["logout", "--from-browser", "--json"]))
    #expect(logout.parameters["id_token_hint"] == idToken)
    #expect(try await fixture.run("status").stdout == "Signed out\n")
    #expect(try await HTTPClient.send("GET", logout.redirect(["state": "bogus"])).status == 400)
    #expect(try await HTTPClient.send("GET", logout.redirect(["x": "1"])).status == 200)
    let response = try await HTTPClient.post(
      "\(fixture.provider.authority)/oauth2/end_session/confirm",
      form: ["redirect_uri": logout.redirect(["state": logout.state])]
    )
    let page = try await RedirectChain.from(try #require(response.header("location"))).page
    #expect(page.status == 200 && page.body.lowercased().contains("signed out"), "\(page)")
    let outcome = try await fixture.runner.outcome(of: logout.child).expect(0)
    #expect(try outcome.json["sign_outs"]?.array?.first?["browser"] == "confirmed")
  }

  @Test("without the provider's redirect, sign-out exits 4 with opened_only, and the wait is announced")
  func withoutRedirect() async throws {
    let fixture = try await ProviderMockFixture()
    // Opens the link at a provider whose page never redirects back.
    let browser = try fixture.home.script(#"curl -s -o /dev/null "$1""#, to: "browser")
    var report: JSONValue?
    // A busy machine may open the link late.
    for seconds in [3, 59] where report?["browser"] != "opened_only" {
      try await fixture.signIn()
      let logout = ["logout", "--from-browser", "--browser", browser, "--timeout", "\(seconds)", "--json"]
      let outcome = try await fixture.run(logout)
        .expect(4, "msauth: waiting up to \(seconds) s for the provider to confirm")
      report = try outcome.json["sign_outs"]?.array?.first
    }
    #expect(report?["browser"] == "opened_only" && report?["removed_tokens"] == true, "\(report as Any)")
    #expect(try await fixture.run("accounts").stdout.isEmpty)
  }

  @Test("if the page was never opened, as over SSH, sign-out exits 4 with a hint", arguments: [[], ["--no-browser"]])
  func neverOpened(flags: [String]) async throws {
    var fixture = try await ProviderMockFixture.signedIn()
    fixture.runner.environment["SSH_CONNECTION"] = "203.0.113.5 50000 192.0.2.1 22"
    let hint = "hint: the tokens were removed; to sign out of the browser too, use"
    try await fixture.run(["logout", "--from-browser", "--timeout", "0.5"] + flags)
      .expect(4, "browser wasn't signed out", "page wasn't opened", hint, lacks: "was opened, and", "--device-code")
    #expect(try await fixture.run("accounts").stdout.isEmpty, "the local tokens are removed")
  }

  @Test(
    "without a browser and a terminal, sign-out doesn't wait, and reports the removal first",
    arguments: [["--browser", "/nonexistent"], []]
  )
  func noBrowser(browser: [String]) async throws {
    var fixture = try await ProviderMockFixture.signedIn()
    fixture.runner.environment["CI"] = "true"
    // Longer than the test may take.
    let outcome = try await fixture.run(["logout", "--from-browser", "--timeout", "3600"] + browser)
    #expect(outcome.code == 4 && outcome.stderr.contains("the sign-out page wasn't opened"), "\(outcome)")
    let lines = outcome.stderr.split(separator: "\n").map(String.init)
    #expect(lines.first?.hasPrefix("msauth: removed the tokens of ") == true, "\(outcome)")
    #expect(!browser.isEmpty || !outcome.stderr.contains("waiting"), "\(outcome)")
  }

  @Test("a request without a state isn't taken for the provider's redirect before the page was opened: exit 4")
  func strayBeforeOpening() async throws {
    let fixture = try await ProviderMockFixture()
    var received: CommandRunner.Outcome?
    // A busy machine may send the request late.
    for seconds in ["3", "60"] where received == nil {
      try await fixture.signIn()
      let logout = try fixture.start(["logout", "--from-browser", "--no-browser", "--timeout", seconds, "--json"])
      let link = try await logout.printedURL()
      let listener = try #require(link.firstRange(of: "/go/").map { link[..<$0.lowerBound] })
      let stray = try? await HTTPClient.send("GET", "\(listener)/")
      let outcome = try await fixture.runner.outcome(of: logout)
      if stray?.status == 200 { received = outcome }
    }
    let outcome = try #require(received)
    let error = try outcome.json["error"]
    #expect(outcome.code == 4 && error?["code"] == "timed_out" && error?["exit"] == 4, "\(outcome)")
    #expect(try outcome.json["sign_outs"]?.array?.first?["browser"] == "not_opened", "\(outcome)")
  }

  @Test("sign-out uses the sign-in's redirect URI")
  func redirectURI() async throws {
    let fixture = try await ProviderMockFixture()
    try await fixture.complete(fixture.startLogin("--redirect-uri", "http://localhost/signed-in")).expect(0)
    let logout = try await PendingLogin(fixture.start(["logout", "--from-browser"]))
    #expect(logout.redirectURI == "http://localhost:\(logout.port)/signed-in")
    try await logout.complete()
    try await fixture.runner.outcome(of: logout.child).expect(0)
  }
}
