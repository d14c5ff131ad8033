import Testing

@testable import MSAuthUnix

@Suite("a second signal")
struct InterruptionTests {
  @Test(
    "ends the process at once, except in the grace period and during work that must not be cut short",
    arguments: [
      (99, false, false), (100, false, true), (100, true, false), (34_999, true, false), (35_000, true, true),
    ]
  )
  func endsProcess(milliseconds: Int64, isShielded: Bool, ends: Bool) {
    #expect(Interruption.endsProcess(after: milliseconds * 1_000_000, isShielded: isShielded) == ends)
  }
}
