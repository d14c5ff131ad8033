@testable import DemoProvider
import TestSupport
import Testing

/// Tests with a real browser are serialized and slow, so they run first.
@Suite("in Chromium", .limitedConcurrencyFirst)
enum InChromium {}

struct BrowserFixture: CommandFixture {
  let browser: DesktopBrowser
  let provider: DemoProvider
  let runner: CommandRunner

  let identity: [String]

  init(on desktop: BrowserFixture? = nil, isEntra: Bool = true) async throws {
    let home = try desktop?.home ?? Home()
    browser = if let desktop { desktop.browser } else { try await DesktopBrowser(for: home) }
    provider = try await DemoProvider.start()
    runner = CommandRunner(home: home, environment: browser.environment)
    identity =
      (isEntra
        ? ["--authority", provider.entraAuthority(), "--authority-type", "aad"]
        : ["--authority", provider.oidcIssuer, "--authority-type", "oidc"])
      + ["--client-id", provider.clientID, "--store", "file"]
  }

  /// Starts a command that opens the browser, and waits for the printed URL.
  func start(_ arguments: String...) async throws -> PendingLogin {
    try await PendingLogin(start(arguments))
  }

  func signInAda() async throws -> WebDriver {
    let login = try await start("login")
    let driver = try await browser.attach()
    try await driver.click("#account-ada")
    try await driver.click("#accept")
    try await driver.waitForText("Signed in as")
    try await runner.outcome(of: login.child).expect(0, stdout: "ada@contoso.example\n")
    return driver
  }

  /// The grant types of all token requests, in order.
  func grants() async -> [String] {
    await provider.record.filter { $0.path.hasSuffix("/token") }.compactMap { $0["grant_type"] }
  }
}
