@testable import DemoProvider
import TestSupport

/// The tutorial's application, in its own package, which `Tests/run` builds, and its user; a proxy serves Microsoft's host
/// names.
final class PortedApp: Sendable {
  let provider: DemoProvider
  let walker: ScriptedBrowser
  private let proxy: TLSProxy
  private let home: Home
  private let process: ChildProcess

  /// Starts it with its own home.
  init() async throws {
    let microsoft = "https://login.microsoftonline.com"
    var options = DemoOptions()
    options.publicURL = microsoft
    provider = try await DemoProvider.start(options)
    guard let port = URL(string: provider.baseURL)?.port.map({ UInt16($0) }) else {
      throw TestFailure("no port in \(provider.baseURL)")
    }
    proxy = try await TLSProxy(["login.microsoftonline.com": port])
    walker = ScriptedBrowser(origins: [microsoft: provider.baseURL])
    home = try Home()
    // The desktop's browser only records the URL.
    let browser = try home.script(#"echo "$1" >> \#(home.path("addresses"))"#, to: "browser")
    // The tutorial's request uses URLSession, which doesn't trust the proxy's certificate.
    let own = ["BROWSER": browser, "CLIENT_ID": provider.clientID, "GRAPH_ENDPOINT": provider.graphURL + "/"]
    process = try ChildProcess(
      [BuiltProducts.portedApp],
      environment: home.environment.merging(proxy.environment) { $1 }.merging(own) { $1 },
      in: home.path("home"),
      holdsInput: true
    )
  }

  deinit {
    process.killGroup()
  }

  func press(_ button: String) throws { try process.write(button + "\n") }

  /// All output of the windows, in order.
  var shown: [String] { process.stdout.split(separator: "\n").map(String.init) }

  /// Waits for new output of the windows.
  @discardableResult
  func sees(_ what: String, after lines: Int = 0) async throws -> String {
    do {
      return try await eventually(what) {
        shown.dropFirst(lines).first { $0.hasPrefix(what) }
      }
    } catch {
      throw TestFailure("\(error); it showed:\n\(process.stdout)\n\(process.stderr)")
    }
  }

  /// The opened URLs, once there are that many.
  func opened(_ count: Int) async throws -> [String] {
    try await eventually("address \(count) in the browser") {
      let lines = (home.read("addresses") ?? "").split(separator: "\n").map(String.init)
      return lines.count >= count ? lines : nil
    }
  }
}
