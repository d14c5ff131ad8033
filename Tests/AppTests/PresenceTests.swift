import Testing

@testable import msauth_app

@Suite("whether anybody still has the page open")
struct PresenceTests {
  private let start = SuspendingClock.now
  private func at(_ seconds: Double) -> Presence.Instant { start + .seconds(seconds) }
  private func presence() -> Presence { Presence(now: start) }

  @Test("a page that nobody opens is waited for, and not for ever")
  func neverOpened() {
    #expect(presence().end(at: at(299)) == nil)
    #expect(presence().end(at: at(300)) == .neverOpened)
  }

  @Test("loading again is not leaving: the next page comes within the grace")
  func reload() {
    var presence = presence()
    presence.delivered(at: at(1))
    presence.heard("first", at: at(1.1))
    presence.left("first", at: at(10))
    #expect(presence.end(at: at(13.9)) == nil)
    presence.delivered(at: at(13.9))
    #expect(presence.end(at: at(15)) == nil)
    presence.heard("second", at: at(15))
    #expect(presence.end(at: at(100)) == nil)
  }

  @Test("closing the last page ends it, closing one of two does not")
  func closing() {
    var presence = presence()
    presence.heard("one", at: at(1))
    presence.heard("two", at: at(2))
    presence.left("one", at: at(3))
    #expect(presence.end(at: at(30)) == nil)
    presence.left("two", at: at(40))
    #expect(presence.end(at: at(43)) == nil)
    #expect(presence.end(at: at(44)) == .closed)
  }

  @Test("what a page had sent before it left does not bring it back")
  func late() {
    var presence = presence()
    presence.heard("one", at: at(1))
    presence.left("one", at: at(2))
    presence.heard("one", at: at(2.1))
    #expect(presence.end(at: at(6)) == .closed)
  }

  @Test("a browser that was killed is noticed by its silence")
  func silence() {
    var presence = presence()
    presence.heard("one", at: at(1))
    presence.heard("one", at: at(500))
    #expect(presence.end(at: at(1099)) == nil)
    #expect(presence.end(at: at(1100)) == .silent)
  }

  @Test("no number of pages fills the memory")
  func many() {
    var presence = presence()
    for number in 0..<1000 { presence.heard("page\(number)", at: at(1)) }
    for number in 0..<1000 { presence.left("page\(number)", at: at(2)) }
    #expect(presence.end(at: at(6)) == .closed)
  }
}
