import Core
import Testing

@testable import msauth_app

@Suite("the log below the buttons")
struct LogTextTests {
  private func log(_ texts: String...) -> [String] {
    var log = LogText()
    for text in texts { log.write(text, at: 1) }
    return log.entries.map(\.text)
  }

  @Test("entries stay in their order, and an empty one is none")
  func order() { #expect(log("a", "", "b") == ["a", "b"]) }

  @Test("the last text again only gets the new time, and a new number, so that the page shows it")
  func again() {
    var log = LogText()
    log.write("a", at: 1)
    log.write("a", at: 2)
    #expect(log.entries == [.init(number: 2, time: 2, text: "a")])
  }

  @Test("lines are kept, and what moves the cursor or turns the text around is not")
  func printable() { #expect(log("{\n  \"a\": 1\r\n}\u{1B}[31m\u{202E}x") == ["{\n  \"a\": 1\n}[31mx"]) }

  @Test("neither one long text nor many texts fill the memory")
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

  @Test("JSON is laid out for people")
  func json() {
    let value: JSON = ["b": [], "a": ["x", 1, ["c": .null]], "q\"": "é"]
    #expect(
      value.indented() == """
        {
          "a": [
            "x",
            1,
            {
              "c": null
            }
          ],
          "b": [],
          "q\\"": "é"
        }
        """
    )
  }
}
