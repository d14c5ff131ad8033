import MSAuthCore
import Testing

@testable import msauth_app

@Suite("the screen that the page shows")
@MainActor
struct ScreenTests {
  @Test("a wait ends with a change, and not without one")
  func change() async {
    let screen = Screen()
    let revision = screen.revision
    async let waiting: Void = screen.change(from: revision, atMost: .seconds(60))
    screen.canSignOut = false
    #expect(screen.revision == revision)
    await Task.yield()
    screen.username = "ada@contoso.example"
    await waiting
    #expect(screen.revision == revision + 1)
    #expect(screen.json["username"] == "ada@contoso.example")
  }

  @Test("an older revision doesn't wait")
  func older() async {
    let screen = Screen()
    screen.write("news", at: 1)
    await screen.change(from: 0, atMost: .seconds(60))
    await screen.change(from: -1, atMost: .seconds(60))
  }

  @Test("a wait ends at its limit, and on cancellation")
  func ends() async {
    let screen = Screen()
    await screen.change(from: 0, atMost: .milliseconds(1))
    let cancelled = Task { await screen.change(from: 0, atMost: .seconds(60)) }
    cancelled.cancel()
    await cancelled.value
  }
}
