@testable import DemoProvider
import TestSupport
import Testing

extension InChromium {
  @Suite("hostile pages in the sign-in's browser")
  struct HostilePageTests {
    @Test("requests, frames, forms and DNS rebinding don't end the sign-in")
    func attacked() async throws {
      let desktop = try await BrowserFixture()
      var known: WebDriver?
      for mode in ["query", "form_post"] {
        let fixture = try await BrowserFixture(on: desktop)
        let login = try await fixture.start("login", "-vv", "--response-mode", mode)
        let state = try #require(login.parameters["state"])
        let page = try String(contentsOfFile: BuiltProducts.fixture("hostile-page.html"), encoding: .utf8)
          .replacing("RIGHT", with: "http://localhost:PORT/?code=stolen&state=STATE")
          .replacing("PORT", with: "\(login.port)").replacing("STATE", with: state)
        let attacker = try ScriptedServer { _, _ in .page("attacking", page) }
        // A name whose owner has rebound it to this machine.
        let address = "http://attacker.example:\(attacker.port)/"
        let driver = try await fixture.browser.attach(known)
        known = driver
        let ownTab = try await driver.tab
        try await driver.turn(to: try await driver.openTab())
        try await driver.open(address)
        let title = try await eventually("the end of the attack") {
          let title = try await driver.title
          return title == "attacking" ? nil : title
        }
        #expect(title == "nothing read", "\(mode)")

        // A navigation with the right state, to the rebound name.
        try await driver.open("http://attacker.example:\(login.port)/?code=stolen&state=\(state)")
        #expect(try await !driver.text.contains("Signed in as"))
        try await driver.screenshot("rebound-\(mode)")
        // Navigations with a wrong state, as any page can cause them, also by a form.
        try await driver.open("http://localhost:\(login.port)/?code=stolen&state=wrong")
        #expect(try await !driver.text.contains("Signed in as"))
        try await driver.open(address)
        _ = try await driver.run(
          """
          const form = document.createElement("form")
          form.method = "post"; form.action = "http://localhost:\(login.port)/"
          form.innerHTML = "<input name=code value=stolen><input name=state value=wrong>"
          document.body.append(form); form.submit()
          """
        )
        #expect(login.child.ending == nil, "\(mode): \(login.child.stderr)")
        try await driver.closeTab()

        try await driver.turn(to: ownTab)
        try await driver.bringToFront()
        try await driver.click("#account-ada")
        try await driver.click("#accept")
        try await driver.waitForText("Signed in as")
        try await fixture.runner.outcome(of: login.child)
          .expect(0, "its Host header is foreign", "its sec-fetch-", stdout: "ada@contoso.example\n")
        #expect(await fixture.grants().count == 1, "the attacker's code was sent to the provider")
      }
    }
  }
}
