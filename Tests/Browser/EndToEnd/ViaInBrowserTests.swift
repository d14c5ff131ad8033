import TestSupport
import Testing

extension InChromium {
  @Suite("sign-in on a remote computer with the local browser")
  struct ViaInBrowserTests {
    @Test("over OpenSSH, as another user if run as root: picker, consent and final page")
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
      // All that other users can read during the sign-in.
      let scan = try ChildProcess(["/bin/sh", "-c", "cat /proc/[0-9]*/cmdline 2> /dev/null; true"])
      _ = try await scan.end()
      #expect(scan.stdout.contains("msauth\0login\0--relay\0--json\0"), "the remote sign-in isn't running")
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
      #expect(fixture.home.read(cache) == nil, "tokens are stored locally")
      #expect(server.home.read(cache)?.contains("ada@contoso.example") == true, "no tokens are stored remotely")
    }
  }
}
