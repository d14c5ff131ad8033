import TestSupport
import Testing

extension InChromium {
  @Suite("a person signs in on another computer, with the browser of this one")
  struct ViaInBrowserTests {
    @Test("over OpenSSH, as another user where the tests may become one: picker, consent, and the page at the end")
    func signIn() async throws {
      let fixture = try await BrowserFixture()
      let server = try await SSHServer()
      let path = "\(server.programs):/usr/local/bin:/usr/bin:/bin"
      let runner = CommandRunner(
        home: fixture.home,
        environment: fixture.browser.environment.merging(["PATH": path]) { $1 }
      )
      let arguments = ["login", "--via", server.destination] + fixture.identity + ["--scope", "User.Read"]
      let login = try await PendingLogin(runner.start(arguments))

      let driver = try await fixture.browser.attach()
      try await driver.click("#account-ada")
      // What every user of either computer can read, while the sign-in waits.
      let scan = try ChildProcess(["/bin/sh", "-c", "cat /proc/[0-9]*/cmdline 2> /dev/null; true"])
      _ = try await scan.end()
      #expect(scan.stdout.contains("msauth\0login\0--relay\0--json\0"), "the sign-in there is not among them")
      for name in ["state", "nonce", "code_challenge"] {
        let value = try #require(login.parameters[name])
        #expect(!scan.stdout.contains(value), "\(name) in an argument")
      }
      try await driver.click("#accept")
      try await driver.waitForText("Signed in as")
      let outcome = try await runner.outcome(of: login.child)
      #expect(outcome.code == 0 && outcome.stdout == "ada@contoso.example\n", "\(outcome)\n\(server.log)")
      for word in ["code=", "state=", "error"] { #expect(try await !driver.address.contains(word)) }
      #expect(!login.probe.isOpen)

      let cache = "state/msauth/token_cache.json"
      #expect(fixture.home.read(cache) == nil, "tokens are here")
      #expect(server.home.read(cache)?.contains("ada@contoso.example") == true, "no tokens are there")
    }
  }
}
