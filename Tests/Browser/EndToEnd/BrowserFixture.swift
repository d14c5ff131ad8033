import DemoProvider
import TestSupport
import Testing

/// All tests with a real browser; they take long, one after another, and so they come first.
@Suite("in Chromium", .limitedConcurrencyFirst)
enum InChromium {}

/// A desktop with Chromium, `msauth`, and a provider that behaves like Entra.
struct BrowserFixture {
  let home: Home
  let browser: DesktopBrowser
  let provider: DemoProvider
  let runner: CommandRunner

  /// What `msauth` has to know of the provider.
  let identity: [String]

  /// Sets it up; the provider lives until the test process ends.
  ///
  /// - Parameters:
  ///   - desktop: Another fixture, whose home and browser this one takes; its provider is another one.
  ///   - isEntra: Whether to speak to the Entra half of the demo provider, or to the plain one.
  ///   - options: How the demo provider is to behave.
  /// - Throws: ``TestFailure`` when a part of it does not start.
  init(on desktop: BrowserFixture? = nil, isEntra: Bool = true, options: DemoOptions = DemoOptions()) async throws {
    if let desktop {
      (home, browser) = (desktop.home, desktop.browser)
    } else {
      home = try Home()
      browser = try await DesktopBrowser(for: home)
    }
    provider = try await DemoProvider.start(options)
    runner = CommandRunner(home: home, environment: browser.environment)
    identity =
      (isEntra
        ? ["--authority", provider.entraAuthority(), "--authority-type", "aad"]
        : ["--authority", provider.oidcIssuer, "--authority-type", "oidc"])
      + ["--client-id", provider.clientID, "--store", "file"]
  }

  /// Starts a command that opens the browser, and waits until it has printed the URL.
  func start(_ arguments: String...) async throws -> PendingLogin {
    try await PendingLogin(runner.start([arguments[0]] + identity + arguments.dropFirst()))
  }

  /// Runs a command to its end.
  func run(_ arguments: String...) async throws -> CommandRunner.Outcome {
    try await runner.run([arguments[0]] + identity + arguments.dropFirst())
  }

  /// Signs Ada in, in the browser.
  ///
  /// - Returns: The browser, at the page that says so.
  func signInAda() async throws -> WebDriver {
    let login = try await PendingLogin(runner.start(["login"] + identity))
    let driver = try await browser.attach()
    try await driver.click("#account-ada")
    try await driver.click("#accept")
    try await driver.waitForText("Signed in as")
    let outcome = try await runner.outcome(of: login.child)
    #expect(outcome.code == 0 && outcome.stdout == "ada@contoso.example\n", "\(outcome)")
    return driver
  }

  /// What the provider's token endpoint was asked, as grant types.
  func grants() async -> [String] {
    await provider.record.filter { $0.path.hasSuffix("/token") }.compactMap { $0["grant_type"] }
  }
}
