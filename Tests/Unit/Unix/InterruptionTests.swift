import Testing

@testable import MSAuthUnix

@Suite("A second signal")
struct SecondSignalTests {
  @Test(
    "ends the process at once, but during a refresh only if it does not belong to the same event as the first",
    arguments: [
      (0, false, true), (600, false, true), (0, true, false), (499, true, false), (500, true, true), (3000, true, true),
    ]
  )
  func endsProcess(milliseconds: Int64, isShielded: Bool, ends: Bool) {
    #expect(Interruption.endsProcess(after: milliseconds * 1_000_000, isShielded: isShielded) == ends)
  }
}
