import TestSupport
import Testing

@Suite("Form encoding")
struct FormEncodingTests {
  @Test(
    "what is encoded decodes to itself",
    arguments: [
      [], ["a", "1"], ["scope", "openid profile"], ["", "empty name"], ["n", ""], ["é 名", "😀&=+%"],
      ["a", "1", "a", "2"],
      ["d", "AADSTS65001: line\r\nTrace ID: 1"],
    ]
  )
  func roundTrip(_ flat: [String]) throws {
    let pairs = stride(from: 0, to: flat.count, by: 2).map { (name: flat[$0], value: flat[$0 + 1]) }
    let decoded = try FormEncoding.decode(FormEncoding.encode(pairs))
    #expect(decoded.map(\.name) == pairs.map(\.name))
    #expect(decoded.map(\.value) == pairs.map(\.value))
  }

  @Test("the example of RFC 6749 Appendix B is spelled as there")
  func appendixB() throws {
    #expect(FormEncoding.encode([("x", " %&+£€")]) == "x=%20%25%26%2B%C2%A3%E2%82%AC")
    #expect(try FormEncoding.decode("+%25%26%2B%C2%A3%E2%82%AC").first?.name == " %&+£€")
  }

  @Test(
    "empty pairs are none, and a name alone has an empty value",
    arguments: [
      ("", []), ("&", []), ("&&a=1&", ["a", "1"]), ("a", ["a", ""]), ("=", ["", ""]), ("a=b=c", ["a", "b=c"]),
      ("a%3db=c%2bd", ["a=b", "c+d"]),
    ]
  )
  func spellings(_ text: String, _ flat: [String]) throws {
    #expect(try FormEncoding.decode(text).flatMap { [$0.name, $0.value] } == flat)
  }

  @Test(
    "what could be read in two ways is refused",
    arguments: [
      ("a=%", "escape at byte 2"), ("a=%4", "escape at byte 2"), ("a=%zz", "escape at byte 2"),
      ("a=1&b=%+1", "escape at byte 6"), ("a%=41", "escape at byte 1"), ("a=b c", "character at byte 3"),
      ("a=b\r\nc", "character at byte 3"), ("a=é", "character at byte 2"), ("a=\u{7F}", "character at byte 2"),
      ("a=%00", "NUL"),
      ("%00=a", "NUL"), ("a=\u{0}", "character at byte 2"), ("a=%FF", "UTF-8"), ("a=%C0%80", "UTF-8"),
      ("a=%ED%A0%80", "UTF-8"),
    ]
  )
  func refusals(_ text: String, _ words: String) {
    let error = #expect(throws: Refusal.self) { try FormEncoding.decode(text) }
    #expect(error?.reason.contains(words) == true)
  }

  @Test("any bytes are decoded or refused, never worse")
  func fuzz() {
    var random = SeededRandom()
    let alphabet = Array("ab&=%+0fF\u{0}\n ".utf8) + [0x80, 0xC3, 0xFF]
    for _ in 0..<5_000 {
      let bytes = (0..<Int.random(in: 0...24, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? 0 }
      guard let pairs = try? FormEncoding.decode(bytes) else { continue }
      let again = try? FormEncoding.decode(FormEncoding.encode(pairs))
      #expect(again?.map(\.name) == pairs.map(\.name), SeededRandom.comment)
      #expect(again?.map(\.value) == pairs.map(\.value), SeededRandom.comment)
    }
  }
}
