@testable import DemoProvider
import TestSupport
import Testing

extension InChromium {
  @Suite("hostile pages in the sign-in's browser")
  struct HostilePageTests {
    /// Attacks the listener's port, with the right state where the browser must block the request.
    private static func page(port: UInt16, state: String) -> String {
      let right = "http://localhost:\(port)/?code=stolen&state=\(state)"
      return """
        <img src="\(right)"><link rel=stylesheet href="\(right)"><link rel=prefetch href="\(right)">
        <iframe src="\(right)" name=frame></iframe><object data="\(right)"></object><video src="\(right)"></video>
        <form id=framed method=post action="http://localhost:\(port)/" target=frame2>
          <input name=code value=stolen><input name=state value="\(state)">
        </form><iframe name=frame2></iframe>
        <script src="\(right)"></script>
        <script>
          const address = "http://localhost:\(port)/", form = "code=stolen&state=\(state)"
          const type = { "Content-Type": "application/x-www-form-urlencoded" }
          const readable = []
          const note = name => answer => { if (answer.type != "opaque") readable.push(name) }
          const tries = [
            fetch(address + "?" + form, { mode: "no-cors" }).then(note("no-cors")),
            fetch(address + "?" + form).then(note("cors")),
            fetch(address, { method: "POST", mode: "no-cors", headers: type, body: form }).then(note("post")),
            fetch(address, { method: "POST", headers: { "X-Preflight": "1" }, body: form }).then(note("preflight")),
            fetch("http://attacker.example:\(port)/?" + form).then(note("rebound")),
            new Promise(done => { const socket = new WebSocket("ws://localhost:\(port)/?" + form); socket.onclose = done
              socket.onopen = () => { readable.push("socket"); done() } }),
          ]
          navigator.sendBeacon(address, new URLSearchParams(form))
          document.getElementById("framed").submit()
          Promise.allSettled(tries).then(() => {
            document.title = readable.length ? "read: " + readable : "nothing read"
          })
        </script>
        """
    }

    @Test("requests, frames, forms and DNS rebinding don't end the sign-in")
    func attacked() async throws {
      let desktop = try await BrowserFixture()
      var known: WebDriver?
      for mode in ["query", "form_post"] {
        let fixture = try await BrowserFixture(on: desktop)
        let login = try await fixture.start("login", "-vv", "--response-mode", mode)
        let state = try #require(login.parameters["state"])
        let page = Self.page(port: login.port, state: state)
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
          .expect(0, "a foreign Host header", "sec-fetch-", stdout: "ada@contoso.example\n")
        #expect(await fixture.grants().count == 1, "the attacker's code was sent to the provider")
      }
    }
  }
}
