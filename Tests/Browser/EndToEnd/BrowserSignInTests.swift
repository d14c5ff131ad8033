@testable import DemoProvider
import TestSupport
import Testing

extension InChromium {
  @Suite("sign-in and sign-out in a browser")
  struct BrowserSignInTests {
    // Starting Chromium takes as long as three sign-ins, so each test uses one browser for several cases.

    @Test("account picker, consent and final page; the code isn't left in the history")
    func signIn() async throws {
      let desktop = try await BrowserFixture()
      var driver: WebDriver?
      for mode in ["query", "form_post"] {
        for isEntra in [true, false] {
          let fixture = try await BrowserFixture(on: desktop, isEntra: isEntra)
          driver = try await signIn(fixture, mode: mode, isEntra: isEntra, driver)
        }
      }
    }

    private func signIn(
      _ fixture: BrowserFixture,
      mode: String,
      isEntra: Bool,
      _ driver: WebDriver?
    ) async throws -> WebDriver {
      let scope = isEntra ? ["User.Read"] : ["openid", "profile", "email"]
      let login = try await PendingLogin(
        fixture.runner.start(
          ["login", "--response-mode", mode] + fixture.identity + scope.flatMap { ["--scope", $0] }
        )
      )
      #expect(login.redirectURI.hasPrefix(isEntra ? "http://localhost:" : "http://127.0.0.1:"))

      let driver = try await fixture.browser.attach(driver)
      try await driver.click("#account-ada")
      try await driver.screenshot("consent")
      try await driver.click("#accept")
      let text = try await driver.waitForText("Signed in as")
      #expect(text.contains("ada@contoso.example"), "\(mode) \(text)")
      try await driver.screenshot("signed-in-\(mode)-\(isEntra ? "entra" : "oidc")")

      let address = try await driver.address
      for word in ["code=", "state=", "session_state", "error"] { #expect(!address.contains(word), "\(address)") }
      for entry in try await driver.history {
        #expect(!entry.contains("code=") || entry.contains("code_challenge="), "\(entry)")
      }
      try await fixture.runner.outcome(of: login.child).expect(0, stdout: "ada@contoso.example\n")
      #expect(await fixture.grants() == ["authorization_code"])

      try await driver.refresh()
      try await driver.back()
      try await driver.screenshot("after-back-\(mode)")
      let status = try await fixture.run("status")
      #expect(status.stdout == "ada@contoso.example\n", "\(status)")
      #expect(await fixture.grants() == ["authorization_code"], "back or refresh sent the code again")
      return driver
    }

    @Test("graph uses the sign-in; the sign-out's final page is shown, and the next login prompts")
    func signOut() async throws {
      let fixture = try await BrowserFixture()
      let driver = try await fixture.signInAda()
      let me = try await fixture.run("graph", "--endpoint", fixture.provider.graphURL).expect(0)
      #expect(try JSONValue(parsing: me.stdout.utf8)["userPrincipalName"]?.string == "ada@contoso.example", "\(me)")

      let logout = try fixture.start(["logout", "--from-browser"])
      try await driver.turn(to: driver.newTab(besides: [driver.tab]))
      #expect(try await !driver.waitForText("igned out").contains("Signed in as"))
      try await driver.screenshot("signed-out")
      try await fixture.runner.outcome(of: logout).expect(0)
      // The printed link is the browser's, which opens it only once.
      let request = await fixture.provider.record.first { $0["post_logout_redirect_uri"] != nil }
      #expect(request?["logout_hint"] != nil || request?["id_token_hint"] != nil, "\(request as Any)")
      for word in ["state=", "id_token"] { #expect(try await !driver.address.contains(word)) }
      #expect(try await fixture.run("status").stdout == "Signed out\n")
      try await fixture.run("token").expect(2)

      let next = try await fixture.start("login", "--login-hint", "ada@contoso.example")
      #expect(next.parameters["prompt"] == "login", "\(next.url)")
      next.child.signal(15)
      _ = try await next.child.end()
    }

    @Test("a script in a provider's text is escaped or dropped, and the page's policy blocks any other")
    func scripts() async throws {
      let fixture = try await BrowserFixture()
      let login = try await fixture.start("login", "--response-mode", "query")
      let driver = try await fixture.browser.attach()
      let text = "<script>document.title='run'</script><img src=x onerror=\"document.title='run'\">"
      let fields = ["error": "server_error", "state": login.state, "error_description": text]
      try await driver.open(login.redirect(fields))
      _ = try await fixture.runner.outcome(of: login.child)
      try await driver.screenshot("script-in-description")
      #expect(try await driver.title != "run")
      #expect(try await driver.run("return document.scripts.length + document.images.length").integer == 0)
      _ = try await driver.run(
        "const s = document.createElement('script'); s.text = 'document.title = \"run\"'; document.body.append(s)"
      )
      #expect(try await driver.run("return document.scripts.length").integer == 1)
      #expect(try await driver.title != "run")
    }
  }
}
