/// An X server of its own for one test.
package final class Display: Sendable {
  private let server: BackgroundProgram
  /// What `DISPLAY` is to be.
  package let name: String

  /// Starts Xvfb on a free display number.
  ///
  /// - Throws: ``TestFailure`` with its output when it does not serve.
  package init() async throws {
    let server = try BackgroundProgram(
      ["Xvfb", "-displayfd", "1", "-screen", "0", "1280x900x24", "-nolisten", "tcp", "-noreset"],
      environment: ["PATH": "/usr/bin:/bin"]
    )
    // It writes the number once it listens.
    let number = try await server.ready("Xvfb") { server.stdout.hasSuffix("\n") ? server.stdout : nil }
    self.server = server
    self.name = ":" + number.filter(\.isNumber)
  }
}
