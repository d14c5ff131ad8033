import TestSupport
import Testing

extension InChromium {
  @Suite("sign-in at a third-party provider")
  struct OtherProviderInBrowserTests {
    @Test("the provider's form, then the final page")
    func signIn() async throws {
      let fixture = try await ProviderMockFixture()
      let browser = try await DesktopBrowser(for: fixture.home)
      let runner = CommandRunner(home: fixture.home, environment: browser.environment)
      let child = try runner.start(
        ["login", "--scope", "openid", "--scope", "profile", "--scope", "email"] + fixture.identity
      )
      let driver = try await browser.attach()
      try await driver.type(ProviderMock.subject, into: "input[name=sub]")
      try await driver.click("form button[type=submit]")
      let text = try await driver.waitForText("Signed in as")
      #expect(text.contains(ProviderMock.username))
      let outcome = try await runner.outcome(of: child)
      #expect(outcome.code == 0 && outcome.stdout == ProviderMock.username + "\n", "\(outcome)")
      let history = try await driver.history
      for secret in fixture.provider.proxy.values(of: "code") { #expect(!history.contains { $0.contains(secret) }) }
    }
  }
}
