import TestSupport

/// A running tutorial application, and its user.
final class PortedAppRun: Sendable {
  let home: Home
  private let process: ChildProcess
  private let addresses: String

  init(_ program: String, environment: [String: String]) throws {
    let home = try Home()
    addresses = home.path("addresses")
    // The desktop's browser only records the URL.
    let browser = try home.script(#"echo "$1" >> \#(addresses)"#, to: "browser")
    let environment = home.environment.merging(environment) { $1 }.merging(["BROWSER": browser]) { $1 }
    process = try ChildProcess([program], environment: environment, in: home.path("home"), holdsInput: true)
    self.home = home
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
