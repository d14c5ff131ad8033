import TestSupport
import Testing

/// All tests with a real browser; they take long, one after another, and so they come first.
@Suite("in Chromium", .limitedConcurrencyFirst)
enum InChromium {}

extension InChromium {
  /// What the other tests of this folder stand on: when one of these fails, look here first.
  @Suite("the desktop that the tests make")
  struct DesktopSetupTests {
    @Test("xdg-open opens Chromium on a display of the test's own, and we can drive it")
    func xdgOpenReachesChromium() async throws {
      let server = try ScriptedServer { request, _ in
        .page("Plain \(request.path)", "<h1>A plain page</h1><a id=next href=/second>next</a>")
      }
      let home = try Home()
      let browser = try await DesktopBrowser(for: home)
      let opener = try ChildProcess(
        ["/usr/bin/xdg-open", "\(server.url)/first?a=1&b=%2F"],
        environment: home.environment.merging(browser.environment) { $1 }
      )
      defer { opener.killGroup() }

      let driver = try await browser.attach()
      try await driver.waitForText("A plain page")
      #expect(try await driver.address == "\(server.url)/first?a=1&b=%2F")
      #expect(try await driver.title == "Plain /first")
      try await driver.click("#next")
      _ = try await eventually("the second page") { try await driver.title == "Plain /second" ? true : nil }
      try await driver.back()
      _ = try await eventually("the first page again") { try await driver.title == "Plain /first" ? true : nil }
      try await driver.screenshot("desktop-plain-page")
    }

    @Test("oidc-provider-mock answers, lets its user in, and its wire is recorded")
    func providerMockAnswers() async throws {
      let provider = try await ProviderMock()
      let url =
        "\(provider.authority)/oauth2/authorize?client_id=c&response_type=code&scope=openid&state=s1"
        + "&redirect_uri=http%3A%2F%2F127.0.0.1%3A1%2F"
      let location = try await provider.submitForm(at: url)
      let fields = FormFields.query(of: location)
      #expect(fields["state"] == "s1")
      let code = try #require(fields["code"])
      #expect(provider.secrets == [code])
      #expect(try await provider.userinfo("not-a-token").status != 200)
    }
  }
}

@Suite("the keyring that the tests make", .limitedConcurrency)
struct KeyringSetupTests {
  @Test("it answers, holds what is put into it, and can be locked")
  func keyring() async throws {
    let home = try Home()
    let keyring = try await Keyring(for: home)
    let environment = home.environment.merging(keyring.environment) { $1 }
    #expect(try await keyring.itemCount() == 0)
    let store = try ChildProcess(
      ["/bin/sh", "-c", "printf value | secret-tool store --label=test a b"],
      environment: environment
    )
    #expect(try await store.end() == .exited(0), "\(store.stderr)")
    #expect(try await keyring.itemCount() == 1)
    try await keyring.lock()
    let search = try ChildProcess(["/usr/bin/secret-tool", "search", "a", "b"], environment: environment)
    #expect(try await search.end() == .exited(0), "\(search.stderr)")
    #expect(!search.stdout.contains("value"), "\(search.stdout)")
  }
}
