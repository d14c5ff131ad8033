import Testing
import TestSupport

@Suite("msauth explains itself")
struct HelpTests {
  @Test("--version says one line on stdout and nothing on stderr")
  func version() async throws {
    let outcome = try await CommandRunner(home: Home()).run("--version")
    #expect(outcome.code == 0, "\(outcome)")
    #expect(outcome.stdout.split(separator: "\n", omittingEmptySubsequences: false).count == 2, "\(outcome)")
    #expect(outcome.stderr.isEmpty, "\(outcome)")
  }
}
