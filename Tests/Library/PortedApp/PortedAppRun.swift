import TestSupport

/// A running application of the tutorial, and a person before it.
final class PortedAppRun: Sendable {
  let home: Home
  private let process: ChildProcess
  private let addresses: String

  init(_ program: String, environment: [String: String]) throws {
    let home = try Home()
    addresses = home.path("addresses")
    // The desktop's browser, which leaves the walking to the test.
    let browser = try home.write("#!/bin/sh\nprintf '%s\\n' \"$1\" >> \(addresses)\n", to: "browser", mode: 0o700)
    let environment = home.environment.merging(environment) { $1 }.merging(["BROWSER": browser]) { $1 }
    process = try ChildProcess([program], environment: environment, in: home.path("home"), holdsInput: true)
    self.home = home
  }

  deinit {
    process.killGroup()
  }

  /// Presses a button.
  func press(_ button: String) throws { try process.write(button + "\n") }

  /// All that the windows showed, in order.
  var shown: [String] { process.stdout.split(separator: "\n").map(String.init) }

  /// Waits until the windows show something more.
  ///
  /// - Parameters:
  ///   - what: The line, or its beginning.
  ///   - lines: How many lines there were before.
  /// - Returns: The line.
  /// - Throws: ``TestFailure`` with all that was shown, when it does not come.
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

  /// The addresses that the browser was given, once there are that many.
  func opened(_ count: Int) async throws -> [String] {
    try await eventually("address \(count) in the browser") {
      let lines = (home.read("addresses") ?? "").split(separator: "\n").map(String.init)
      return lines.count >= count ? lines : nil
    }
  }
}
