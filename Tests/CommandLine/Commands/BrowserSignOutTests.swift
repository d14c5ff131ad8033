import TestSupport
import Testing

@Suite("sign-out in the browser", .limitedConcurrency)
struct BrowserSignOutTests {
  @Test("a request with a wrong state, or without one, doesn't end the wait for the provider")
  func strayRequests() async throws {
    let fixture = try await ProviderMockFixture.signedIn()
    let logout = try await PendingLogin(fixture.start(["logout", "--from-browser", "--json"]))
    let state = try #require(logout.parameters["state"])
    #expect(try await HTTPClient.send("GET", logout.redirect(["state": "bogus"])).status == 400)
    #expect(try await HTTPClient.send("GET", logout.redirect(["x": "1"])).status == 200)
    let page = try await RedirectChain.from(logout.redirect(["state": state])).page
    #expect(page.status == 200 && page.body.lowercased().contains("signed out"), "\(page)")
    let outcome = try await fixture.runner.outcome(of: logout.child)
    #expect(outcome.code == 0, "\(outcome)")
    #expect(try JSONValue(parsing: outcome.stdout.utf8)["sign_outs"]?.array?.first?["browser"] == "confirmed")
  }

  @Test("without the provider's redirect, sign-out exits 4 with opened_only, and the wait is announced")
  func withoutRedirect() async throws {
    let fixture = try await ProviderMockFixture.signedIn()
    // A browser that opens the link, at a provider whose page never redirects back.
    let script = "#!/bin/sh\ncurl -s -o /dev/null \"$1\"\n"
    let browser = try fixture.home.write(script, to: "browser", mode: 0o700)
    let outcome = try await fixture.run("logout", "--from-browser", "--browser", browser, "--timeout", "5", "--json")
    #expect(outcome.code == 4, "\(outcome)")
    #expect(outcome.stderr.contains("msauth: waiting up to 5 s for the provider to confirm the sign-out"), "\(outcome)")
    let report = try JSONValue(parsing: outcome.stdout.utf8)["sign_outs"]?.array?.first
    #expect(report?["browser"] == "opened_only" && report?["removed_tokens"] == true, "\(outcome)")
    #expect(try await fixture.run("accounts").stdout.isEmpty)
  }

  @Test("if the page was never opened, as over SSH, sign-out exits 4 with a hint", arguments: [[], ["--no-browser"]])
  func neverOpened(flags: [String]) async throws {
    let fixture = try await ProviderMockFixture.signedIn()
    var runner = fixture.runner
    runner.environment["SSH_CONNECTION"] = "203.0.113.5 50000 192.0.2.1 22"
    let command = ["logout"] + fixture.identity + ["--from-browser", "--timeout", "0.5"] + flags
    let outcome = try await runner.run(command)
    #expect(outcome.code == 4 && outcome.stderr.contains("the browser was not signed out"), "\(outcome)")
    #expect(outcome.stderr.contains("the sign-out page was not opened"), "\(outcome)")
    #expect(outcome.stderr.contains("hint: the tokens were removed; to sign out of the browser too, use"), "\(outcome)")
    #expect(!outcome.stderr.contains("was opened, and") && !outcome.stderr.contains("--device-code"), "\(outcome)")
    #expect(try await fixture.run("accounts").stdout.isEmpty, "the local tokens are removed")
  }

  @Test("a request without a state doesn't count as the provider's redirect before the page was opened: exit 4")
  func strayBeforeOpening() async throws {
    let fixture = try await ProviderMockFixture.signedIn()
    let logout = try fixture.start(["logout", "--from-browser", "--no-browser", "--timeout", "10", "--json"])
    let link = try await logout.printedURL()
    let listener = try #require(link.firstRange(of: "/go/").map { link[..<$0.lowerBound] })
    #expect(try await HTTPClient.send("GET", "\(listener)/").status == 200)
    let outcome = try await fixture.runner.outcome(of: logout)
    let output = try JSONValue(parsing: outcome.stdout.utf8)
    #expect(outcome.code == 4 && output["error"]?["code"] == "timed_out", "\(outcome)")
    #expect(output["sign_outs"]?.array?.first?["browser"] == "not_opened", "\(outcome)")
  }

  @Test("sign-out uses the sign-in's redirect URI")
  func redirectURI() async throws {
    let fixture = try await ProviderMockFixture()
    let login = try await fixture.startLogin("--redirect-uri", "http://localhost/signed-in")
    #expect(try await fixture.complete(login).code == 0)
    let logout = try await PendingLogin(fixture.start(["logout", "--from-browser"]))
    #expect(logout.redirectURI == "http://localhost:\(logout.port)/signed-in")
    let state = try #require(logout.parameters["state"])
    _ = try await RedirectChain.from(logout.redirect(["state": state]))
    #expect(try await fixture.runner.outcome(of: logout.child).code == 0)
  }

  @Test("an interaction error right after a denied consent exits 3", arguments: ["consent_required", "login_required"])
  func refusal(error: String) async throws {
    let fixture = try await ProviderMockFixture()
    let login = try await fixture.startLogin()
    let state = try #require(login.parameters["state"])
    _ = try await RedirectChain.from(login.redirect(["error": error, "state": state]))
    let outcome = try await fixture.runner.outcome(of: login.child)
    #expect(outcome.code == 3 && outcome.stderr.contains("code user_canceled, \(error)"), "\(outcome)")
  }

  @Test("without a prompt, an interaction error requires a sign-in")
  func noInteraction() async throws {
    let fixture = try await ProviderMockFixture()
    let login = try await fixture.startLogin("--prompt", "none")
    let state = try #require(login.parameters["state"])
    _ = try await RedirectChain.from(login.redirect(["error": "login_required", "state": state]))
    let outcome = try await fixture.runner.outcome(of: login.child)
    #expect(outcome.code == 2 && outcome.stderr.contains("code interaction_required, login_required"), "\(outcome)")
  }
}
