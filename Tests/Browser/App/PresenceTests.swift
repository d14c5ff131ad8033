import Testing

@testable import msauth_app

@Suite("whether anybody still has the page open")
struct PresenceTests {
  private let start = SuspendingClock.now
  private func at(_ seconds: Double) -> PageLiveness.Instant { start + .seconds(seconds) }
  private func pageLiveness() -> PageLiveness { PageLiveness(now: start) }

  @Test("a page that nobody opens is waited for, and not for ever")
  func neverOpened() {
    #expect(pageLiveness().end(at: at(299)) == nil)
    #expect(pageLiveness().end(at: at(300)) == .neverOpened)
  }

  @Test("loading again is not leaving: the next page comes within the grace")
  func reload() {
    var pageLiveness = pageLiveness()
    pageLiveness.delivered(at: at(1))
    pageLiveness.heard("first", at: at(1.1))
    pageLiveness.left("first", at: at(10))
    #expect(pageLiveness.end(at: at(13.9)) == nil)
    pageLiveness.delivered(at: at(13.9))
    #expect(pageLiveness.end(at: at(15)) == nil)
    pageLiveness.heard("second", at: at(15))
    #expect(pageLiveness.end(at: at(100)) == nil)
  }

  @Test("a page that was delivered may take its time until its first request, also when it is loaded again")
  func slowPage() {
    var pageLiveness = pageLiveness()
    pageLiveness.delivered(at: at(1))
    #expect(pageLiveness.end(at: at(300)) == nil)
    pageLiveness.heard("first", at: at(200))
    pageLiveness.left("first", at: at(201))
    pageLiveness.delivered(at: at(202))
    // A late request of the page before is none of the new one.
    pageLiveness.heard("first", at: at(203))
    #expect(pageLiveness.end(at: at(501)) == nil)
    #expect(pageLiveness.end(at: at(502)) == .closed)
  }

  @Test("closing the last page ends it, closing one of two does not")
  func closing() {
    var pageLiveness = pageLiveness()
    pageLiveness.heard("one", at: at(1))
    pageLiveness.heard("two", at: at(2))
    pageLiveness.left("one", at: at(3))
    #expect(pageLiveness.end(at: at(30)) == nil)
    pageLiveness.left("two", at: at(40))
    #expect(pageLiveness.end(at: at(43)) == nil)
    #expect(pageLiveness.end(at: at(44)) == .closed)
  }

  @Test("what a page had sent before it left does not bring it back")
  func late() {
    var pageLiveness = pageLiveness()
    pageLiveness.heard("one", at: at(1))
    pageLiveness.left("one", at: at(2))
    pageLiveness.heard("one", at: at(2.1))
    #expect(pageLiveness.end(at: at(6)) == .closed)
  }

  @Test("a browser that was killed is noticed by its silence")
  func silence() {
    var pageLiveness = pageLiveness()
    pageLiveness.heard("one", at: at(1))
    pageLiveness.heard("one", at: at(500))
    #expect(pageLiveness.end(at: at(1099)) == nil)
    #expect(pageLiveness.end(at: at(1100)) == .silent)
  }

  @Test("no number of pages fills the memory")
  func many() {
    var pageLiveness = pageLiveness()
    for number in 0..<1000 { pageLiveness.heard("page\(number)", at: at(1)) }
    for number in 0..<1000 { pageLiveness.left("page\(number)", at: at(2)) }
    #expect(pageLiveness.end(at: at(6)) == .closed)
  }
}
