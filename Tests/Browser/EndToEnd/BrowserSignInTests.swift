import DemoProvider
import Core
import TestSupport
import Testing

extension InChromium {
  @Suite("a person signs in and out with a real browser")
  struct BrowserSignInTests {
    @Test(
      "account picker, consent, and the page that says who is signed in; no code stays behind",
      arguments: ["query", "form_post"],
      [true, false]
    )
    func signIn(mode: String, isEntra: Bool) async throws {
      let fixture = try await BrowserFixture(isEntra: isEntra)
      let scope = isEntra ? ["User.Read"] : ["openid", "profile", "email"]
      let login = try await PendingLogin(
        fixture.runner.start(
          ["login", "--response-mode", mode] + fixture.identity + scope.flatMap { ["--scope", $0] }
        )
      )
      #expect(login.redirectURI.hasPrefix(isEntra ? "http://localhost:" : "http://127.0.0.1:"))

      let driver = try await fixture.browser.attach()
      try await driver.click("#account-ada")
      try await driver.screenshot("consent")
      try await driver.click("#accept")
      let text = try await driver.waitForText("Signed in as")
      #expect(text.contains("ada@contoso.example"), "\(text)")
      try await driver.screenshot("signed-in-\(mode)-\(isEntra ? "entra" : "oidc")")

      let address = try await driver.address
      for word in ["code=", "state=", "session_state", "error"] { #expect(!address.contains(word), "\(address)") }
      for entry in try await driver.history {
        #expect(!entry.contains("code=") || entry.contains("code_challenge="), "\(entry)")
      }
      let outcome = try await fixture.runner.outcome(of: login.child)
      #expect(outcome.code == 0 && outcome.stdout == "ada@contoso.example\n", "\(outcome)")
      #expect(await fixture.grants() == ["authorization_code"])

      try await driver.refresh()
      try await driver.back()
      try await driver.screenshot("after-back-\(mode)")
      let status = try await fixture.run("status")
      #expect(status.stdout == "ada@contoso.example\n", "\(status)")
      #expect(await fixture.grants() == ["authorization_code"], "back or refresh sent the code again")
    }

    @Test("graph shows the profile of who is signed in")
    func graph() async throws {
      let fixture = try await BrowserFixture()
      _ = try await fixture.signInAda()
      let me = try await fixture.run("graph", "--endpoint", fixture.provider.graphURL)
      #expect(me.code == 0, "\(me)")
      #expect(try JSON(parsing: me.stdout.utf8)["userPrincipalName"]?.string == "ada@contoso.example", "\(me)")
    }

    @Test("signing out from the browser ends with the page that says so, and the next sign-in asks for a login")
    func signOut() async throws {
      let fixture = try await BrowserFixture()
      let driver = try await fixture.signInAda()

      let logout = try await fixture.start("logout", "--from-browser")
      #expect(logout.parameters["logout_hint"] != nil || logout.parameters["id_token_hint"] != nil)
      try await driver.turnToNewTab()
      let text = try await driver.waitForText("igned out")
      #expect(!text.contains("Signed in as"))
      try await driver.screenshot("signed-out")
      let outcome = try await fixture.runner.outcome(of: logout.child)
      #expect(outcome.code == 0, "\(outcome)")
      for word in ["state=", "id_token"] { #expect(try await !driver.address.contains(word)) }
      #expect(try await fixture.run("status").stdout == "Signed out\n")
      #expect(try await fixture.run("token").code == 2)

      let next = try await fixture.start("login", "--login-hint", "ada@contoso.example")
      #expect(next.parameters["prompt"] == "login", "\(next.url)")
      next.child.signal(15)
      _ = try await next.child.end()
    }

    @Test("a person who cancels at the consent sees that, and nothing is stored", arguments: ["query", "form_post"])
    func cancelled(mode: String) async throws {
      let fixture = try await BrowserFixture()
      let login = try await fixture.start("login", "--response-mode", mode)
      let driver = try await fixture.browser.attach()
      try await driver.click("#account-ada")
      try await driver.click("#deny")
      let outcome = try await fixture.runner.outcome(of: login.child)
      #expect(outcome.code == 3 && outcome.stdout.isEmpty, "\(outcome)")
      let text = try await driver.waitForText("cancelled")
      try await driver.screenshot("cancelled-\(mode)")
      #expect(!text.contains("Signed in as"))
      #expect(try await fixture.run("accounts").stdout == "")
      #expect(await fixture.grants().isEmpty)
    }

    @Test(
      "after a poisoned ID token the page does not say that anybody is signed in, and nothing is used",
      arguments: [Fault.nonceInvalid, .invalidAud, .invalidIss, .sigNone, .invalidSigRS256, .invalidExpiredExp]
    )
    func poisoned(fault: Fault) async throws {
      let fixture = try await BrowserFixture(options: DemoOptions(faults: [fault]))
      let login = try await fixture.start("login")
      let driver = try await fixture.browser.attach()
      try await driver.click("#account-ada")
      try await driver.click("#accept")
      let outcome = try await fixture.runner.outcome(of: login.child)
      #expect(outcome.code == 1 && outcome.stdout.isEmpty && !outcome.stderr.isEmpty, "\(outcome)")
      try await driver.screenshot("failed")
      #expect(try await !driver.text.contains("Signed in as"))
      #expect(try await fixture.run("accounts").stdout == "")
      #expect(await !fixture.provider.record.contains { $0.bearer != nil }, "the token of a poisoned answer was used")
    }

    @Test("a script in the provider's words is shown or dropped, never run")
    func scriptInDescription() async throws {
      let fixture = try await BrowserFixture()
      let login = try await fixture.start("login", "--response-mode", "query")
      let driver = try await fixture.browser.attach()
      try await driver.open(
        login.redirect(
          [
            "error": "server_error", "state": try #require(login.parameters["state"]),
            "iss": "",
            "error_description": "<script>document.title='run'</script><img src=x onerror=\"document.title='run'\">",
          ].filter { !$0.value.isEmpty }
        )
      )
      _ = try await fixture.runner.outcome(of: login.child)
      try await driver.screenshot("script-in-description")
      #expect(try await driver.title != "run")
      #expect(try await driver.run("return document.scripts.length + document.images.length").integer == 0)
    }

    @Test("the page's policy stops a script even in a real browser")
    func contentSecurityPolicy() async throws {
      let fixture = try await BrowserFixture()
      let driver = try await fixture.signInAda("--response-mode", "query")
      _ = try await driver.run(
        "const s = document.createElement('script'); s.text = 'document.title = \"run\"'; document.body.append(s)"
      )
      #expect(try await driver.title != "run")
    }
  }
}
