@testable import DemoProvider
import MSAuthCrypto
import TestSupport

/// `msauth-app` on a desktop with Chromium, and a provider that behaves like Entra.
struct AppFixture {
  let home: Home
  let browser: DesktopBrowser
  let provider: DemoProvider

  init() async throws {
    home = try Home()
    browser = try await DesktopBrowser(for: home)
    provider = try await DemoProvider.start(DemoOptions(algorithm: .es256))
  }

  /// The environment that configures the provider for `msauth` and `msauth-app`.
  var environment: [String: String] {
    [
      "MSAUTH_AUTHORITY": provider.entraAuthority(), "MSAUTH_AUTHORITY_TYPE": "aad",
      "MSAUTH_CLIENT_ID": provider.clientID, "MSAUTH_STORE": "file", "MSAUTH_GRAPH_ENDPOINT": provider.graphURL,
    ].merging(browser.environment) { $1 }.merging(home.environment) { $1 }
  }

  func start() throws -> ChildProcess {
    try ChildProcess([BuiltProducts.app], environment: environment)
  }

  /// Runs `msauth`, another app with the same client ID.
  func msauth(_ arguments: String...) async throws -> CommandRunner.Outcome {
    let child = try ChildProcess([BuiltProducts.msauth] + arguments, environment: environment)
    return try await CommandRunner(home: home).outcome(of: child)
  }

  static func link(of app: ChildProcess) async throws -> String {
    try await app.stderrLine("the app's link") { line in
      line.split(separator: " ").first { $0.hasPrefix("http://127.0.0.1:") }.map(String.init)
    }
  }
}
