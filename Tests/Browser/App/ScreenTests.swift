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

@Suite("the app's log")
struct LogTextTests {
  private func log(_ texts: String...) -> [String] {
    var log = LogText()
    for text in texts { log.write(text, at: 1) }
    return log.entries.map(\.text)
  }

  @Test("entries keep their order, and empty ones are ignored")
  func order() { #expect(log("a", "", "b") == ["a", "b"]) }

  @Test("a repeated text gets a new time and number")
  func again() {
    var log = LogText()
    log.write("a", at: 1)
    log.write("a", at: 2)
    #expect(log.entries == [.init(number: 2, time: 2, text: "a")])
  }

  @Test("line breaks are kept, other control characters aren't")
  func printable() { #expect(log("{\n  \"a\": 1\r\n}\u{1B}[31m\u{202E}x") == ["{\n  \"a\": 1\n}[31mx"]) }

  @Test("the number and the length of entries are limited")
  func limits() throws {
    let long = String(repeating: String(repeating: "x", count: 2500) + "\n", count: 250)
    var log = LogText()
    for number in 0..<150 { log.write("\(number)", at: 1) }
    log.write(long, at: 1)
    #expect(log.entries.count == LogText.maximumEntries)
    #expect(log.entries.last?.number == 151)
    let lines = try #require(log.entries.last).text.split(separator: "\n")
    #expect(lines.count == LogText.maximumLines + 1 && lines.last == "…")
    #expect(lines.allSatisfy { $0.count <= LogText.maximumLineLength + 1 })
  }
}
