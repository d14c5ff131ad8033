import Testing

@testable import MSAuthUnix

@Suite("a second signal")
struct InterruptionTests {
  @Test(
    "ends the process at once, except during work that must not be cut short",
    arguments: [(0, false, true), (600, false, true), (0, true, false), (34_999, true, false), (35_000, true, true)]
  )
  func endsProcess(milliseconds: Int64, isShielded: Bool, ends: Bool) {
    #expect(Interruption.endsProcess(after: milliseconds * 1_000_000, isShielded: isShielded) == ends)
  }
}
