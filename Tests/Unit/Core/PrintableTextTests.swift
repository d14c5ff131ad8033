import MSAuthCore
import Testing

@Suite("Text made fit for a terminal")
struct PrintableTextTests {
  @Test("the limit bounds the bytes, also of one character with thousands of marks")
  func bounded() {
    let marks = "a" + String(repeating: "\u{301}", count: 30_000)
    let printed = marks.printable(limit: 500)
    #expect(printed.utf8.count <= 500 * 4 + 3)
    #expect(printed.hasSuffix("…"))
    #expect(String(repeating: "é", count: 501).printable() == String(repeating: "é", count: 500) + "…")
  }

  @Test("what fits is kept whole, and what does not is cut at the limit and marked")
  func cut() {
    #expect("abc".printable(limit: 3) == "abc")
    #expect("abcd".printable(limit: 3) == "abc…")
    #expect("ab\n\ncd".printable(limit: 4) == "ab c…")
    // What is left out anyway does not count.
    #expect("\u{1B}abc\u{202E}".printable(limit: 3) == "abc")
    #expect("".printable(limit: 0) == "")
  }

  @Test(
    "a message begins with a small letter, and an abbreviation stays one",
    arguments: [
      ("Couldn't connect", "couldn't connect"), ("A value grew", "a value grew"), ("I", "i"), ("", ""),
      ("SSL connect error", "SSL connect error"), ("AADSTS50011: no", "AADSTS50011: no"), ("X5 is off", "X5 is off"),
      ("already small", "already small"), ("E\u{301}t\u{e9}", "e\u{301}t\u{e9}"), ("\u{c9}t\u{e9}", "\u{c9}t\u{e9}"),
    ]
  )
  func startingLowercase(text: String, expected: String) {
    #expect(text.startingLowercase.isIdentical(to: expected))
  }
}
