import DemoProvider
import TestSupport

/// The tutorial's application: a package of its own, which depends on this repository by its path.
///
/// `Tests/run` builds it. It asks Microsoft's real host names, which a proxy answers with a certificate of its own.
struct PortedApp: Sendable {
  private static let microsoft = "https://login.microsoftonline.com"

  let provider: DemoProvider
  let proxy: TLSProxy
  /// The person's browser.
  let walker: ScriptedBrowser

  init() async throws {
    var options = DemoOptions()
    options.publicURL = Self.microsoft
    provider = try await DemoProvider.start(options)
    guard let port = URL(string: provider.baseURL)?.port.map({ UInt16($0) }) else {
      throw TestFailure("no port in \(provider.baseURL)")
    }
    proxy = try await TLSProxy(["login.microsoftonline.com": port])
    walker = ScriptedBrowser(origins: [Self.microsoft: provider.baseURL])
  }

  /// Starts it in a home of its own.
  ///
  /// - Returns: The running application.
  /// - Throws: ``TestFailure`` when it cannot be started.
  func start() throws -> PortedAppRun {
    var environment = proxy.environment
    // The tutorial's own request goes by URLSession, which trusts no certificate of ours.
    environment["GRAPH_ENDPOINT"] = provider.graphURL + "/"
    return try PortedAppRun(BuiltProducts.portedApp, environment: environment)
  }
}
