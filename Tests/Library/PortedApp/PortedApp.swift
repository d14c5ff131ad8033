import DemoProvider
import TestSupport

/// The tutorial's application, in its own package, which `Tests/run` builds; a proxy serves Microsoft's host names.
struct PortedApp: Sendable {
  private static let microsoft = "https://login.microsoftonline.com"

  let provider: DemoProvider
  let proxy: TLSProxy
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

  /// Starts it with its own home.
  func start() throws -> PortedAppRun {
    var environment = proxy.environment
    // The tutorial's request uses URLSession, which doesn't trust the proxy's certificate.
    environment["GRAPH_ENDPOINT"] = provider.graphURL + "/"
    return try PortedAppRun(BuiltProducts.portedApp, environment: environment)
  }
}
