import Foundation
import MSAuthCore
import Testing

@Suite("escaping text for a terminal")
struct PrintableTextTests {
  @Test("the limit counts bytes, even of one character with thousands of marks")
  func bounded() {
    let marks = "a" + String(repeating: "\u{301}", count: 30_000)
    let printed = marks.printable(limit: 500)
    #expect(printed.utf8.count <= 500 * 4 + 3)
    #expect(printed.hasSuffix("…"))
    #expect(String(repeating: "é", count: 501).printable() == String(repeating: "é", count: 500) + "…")
  }

  @Test("a short text is unchanged, and a long one is truncated and marked")
  func cut() {
    // Removed characters don't count.
    for (text, limit, printed) in [
      ("abc", 3, "abc"), ("abcd", 3, "abc…"), ("ab\n\ncd", 4, "ab c…"), ("\u{1B}abc\u{202E}", 3, "abc"), ("", 0, ""),
    ] { #expect(text.printable(limit: limit) == printed) }
  }

  @Test(
    "a message starts with a lowercase letter unless it is an abbreviation",
    arguments: [
      ("Couldn't connect", "couldn't connect"), ("A value grew", "a value grew"), ("I", "i"), ("", ""),
      ("SSL connect error", "SSL connect error"), ("AADSTS50011: no", "AADSTS50011: no"), ("X5 is off", "X5 is off"),
      ("already small", "already small"), ("E\u{301}t\u{e9}", "e\u{301}t\u{e9}"), ("\u{c9}t\u{e9}", "\u{c9}t\u{e9}"),
    ]
  )
  func startingLowercase(text: String, expected: String) {
    #expect(text.startingLowercase.isIdentical(to: expected))
  }

  @Test(
    "only the given characters are trimmed, at both ends",
    arguments: [
      ("", ""), (" \t ", ""), ("\t a b ", "a b"), (" a\r", "a\r"), (" \u{301} ", "\u{301}"),
      ("\u{a0}a", "\u{a0}a"),
    ]
  )
  func trimming(text: String, expected: String) {
    #expect(text.utf8.trimming(" \t").elementsEqual(expected.utf8))
  }

  @Test(
    "the quotes that users paste with a value are removed, curly ones too",
    arguments: [
      ("", ""), (" \"'", ""), (" <a b>\t", "a b"), ("“a”", "a"), ("„a“", "a"), ("«‘a’»", "a"), ("a'b", "a'b"),
      ("…a…", "…a…"), ("\"\u{301}\"", "\u{301}"),
    ]
  )
  func unquoted(text: String, expected: String) {
    #expect(text.unquoted.isIdentical(to: expected))
  }
}

@Suite("nearest names")
struct NearestTests {
  private static let names = ["accounts", "login", "logout", "status", "switch", "client_id", "redirect_uri", "tenant"]

  @Test(
    "a typo finds the intended name, a dissimilar one none",
    arguments: [
      ("", nil), ("x", nil), ("frobnicate", nil), ("tree", nil), (String(repeating: "login", count: 100), nil),
      ("lgin", "login"), ("logn", "login"), ("lgoin", "login"), ("LOGIN", "login"), ("loguot", "logout"),
      ("stauts", "status"), ("account", "accounts"), ("clientid", "client_id"), ("client-id", "client_id"),
      ("redirect_url", "redirect_uri"), ("Tenant", "tenant"),
    ] as [(String, String?)]
  )
  func found(_ written: String, _ intended: String?) { #expect(nearest(to: written, in: Self.names) == intended) }

  @Test("the nearest name is found, or the first of several equal ones")
  func order() {
    #expect(nearest(to: "scope", in: ["store", "scopes"]) == "scopes")
    #expect(nearest(to: "aab", in: ["aaa", "bab"]) == "aaa")
    #expect(nearest(2, to: "scope", in: ["store", "tenant", "scopes", "scopp"]) == ["scopes", "scopp"])
    #expect(nearest(9, to: "scope", in: ["tenant"]).isEmpty)
  }
}

@Suite("lines in chunks")
struct LineBufferTests {
  private func text(_ lines: [[UInt8]]) -> [String] { lines.map { String(decoding: $0, as: UTF8.self) } }

  @Test("chunks of any size give whole lines")
  func pieces() throws {
    let whole = Array("one\n\ntwo\nthr".utf8)
    for cut in 0...whole.count {
      var buffer = LineBuffer(maximumLength: 3)
      var lines = try buffer.append(Array(whole[..<cut]))
      lines += try buffer.append(Array(whole[cut...]))
      #expect(text(lines) == ["one", "", "two"])
      #expect(text([buffer.takeRest()]) == ["thr"] && buffer.takeRest().isEmpty)
    }
  }

  @Test("a line over the limit is rejected, with or without its end", arguments: ["four\n", "four"])
  func tooLong(line: String) throws {
    var buffer = LineBuffer(maximumLength: 3)
    #expect(throws: Rejection.self) { try buffer.append(Array(line.utf8)) }
    #expect(text(try buffer.append(Array("ok\n".utf8))) == ["ok"])
  }

  @Test("a line over the limit can be truncated")
  func cut() throws {
    var buffer = LineBuffer(maximumLength: 3, cutsLongLines: true)
    #expect(text(try buffer.append(Array("abcdefg\nhi".utf8))) == ["abc", "def", "g"])
    #expect(text([buffer.takeRest()]) == ["hi"])
  }
}

@Suite("Base64URL")
struct Base64URLTests {
  @Test(
    "the vectors of RFC 4648 §10, and the two characters of the URL-safe alphabet",
    arguments: [
      ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
      ("foobar", "Zm9vYmFy"), ("???>>>", "Pz8_Pj4-"),
    ]
  )
  func vectors(plain: String, encoded: String) {
    #expect(Base64URL.encode(plain.utf8) == encoded)
    #expect(Base64URL.decode(encoded) == Array(plain.utf8))
  }

  @Test("every byte round-trips at every length")
  func roundTrip() {
    let all = Array(UInt8.min...UInt8.max)
    for count in 0...all.count {
      #expect(Base64URL.decode(Base64URL.encode(all.suffix(count))) == all.suffix(count))
    }
  }

  @Test(
    "an invalid encoding is rejected",
    arguments: [
      "A", "AAAAA", "AA==", "AAA=", "AB", "AAB", "A+", "A/", "A A", "AA\n", " AA", "AA\0", "Å", "A\u{301}A",
      "AA\u{301}", "АА", "😀",
    ]
  )
  func rejected(text: String) {
    #expect(Base64URL.decode(text) == nil)
  }

  @Test("either alphabet, with or without padding", arguments: ["-_8=", "+/8", "-_8", "-_8=A", "-_8=\n"])
  func anyAlphabet(text: String) {
    #expect(Base64URL.decode(anyAlphabet: text) == (text.utf8.count > 4 ? nil : [0xFB, 0xFF]))
  }
}

@Suite("HTTP dates")
struct HTTPDateTests {
  @Test("RFC 9110's example and days around leap days are parsed")
  func dates() throws {
    #expect(unixTime(ofHTTPDate: "Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "GMT")
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    for day in Array(stride(from: Int64(0), to: 40_000, by: 97)) + [11_016, 11_017, 20_512, 47_540, 47_541] {
      let time = day * 86_400 + 4242
      #expect(unixTime(ofHTTPDate: formatter.string(from: Date(timeIntervalSince1970: Double(time)))) == time)
    }
  }

  @Test(
    "an invalid date is nil",
    arguments: [
      "", "Sun, 06 Nov 1994 08:49:37", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
      "Sun, 06 Nov 1994 25:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
      "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 1994 08:49:37:x GMT", "Sun, 06 Nov 1994 08::49:37 GMT",
      "Sun, 06 Nov 99999999999999999999 08:49:37 GMT",
    ]
  )
  func none(_ string: String) {
    #expect(unixTime(ofHTTPDate: string) == nil)
  }
}

@Suite("form encoding")
struct FormEncodingTests {
  @Test(
    "encoding and decoding round-trip",
    arguments: [
      [], ["a", "1"], ["scope", "openid profile"], ["", "empty name"], ["n", ""], ["é 名", "😀&=+%"],
      ["a", "1", "a", "2"], ["d", "AADSTS65001: line\r\nTrace ID: 1"],
    ]
  )
  func roundTrip(_ flat: [String]) {
    let pairs = stride(from: 0, to: flat.count, by: 2).map { (name: flat[$0], value: flat[$0 + 1]) }
    #expect(FormEncoding.decode(FormEncoding.encode(pairs)).flatMap { [$0.name, $0.value] } == flat)
  }

  @Test("the example of RFC 6749 Appendix B matches")
  func appendixB() {
    #expect(FormEncoding.encode([("x", " %&+£€")]) == "x=%20%25%26%2B%C2%A3%E2%82%AC")
    #expect(FormEncoding.decode("+%25%26%2B%C2%A3%E2%82%AC").first?.name == " %&+£€")
  }

  @Test(
    "empty pairs are ignored, a lone name has an empty value, and an invalid escape is replaced",
    arguments: [
      ("", []), ("&", []), ("&&a=1&", ["a", "1"]), ("a", ["a", ""]), ("=", ["", ""]), ("a=b=c", ["a", "b=c"]),
      ("a%3db=c%2bd", ["a=b", "c+d"]), ("a=%", ["a", "\u{FFFD}"]), ("a=%4", ["a", "\u{FFFD}4"]),
      ("a=%zz", ["a", "\u{FFFD}zz"]), ("a=1&b=%+1", ["a", "1", "b", "\u{FFFD} 1"]), ("a%=41", ["a\u{FFFD}", "41"]),
      ("a=b c", ["a", "b c"]), ("a=é", ["a", "é"]), ("a=%00", ["a", "\u{FFFD}"]), ("a=f%FCr", ["a", "f\u{FFFD}r"]),
      ("a=%C0%80", ["a", "\u{FFFD}\u{FFFD}"]),
    ]
  )
  func spellings(_ text: String, _ flat: [String]) {
    #expect(FormEncoding.decode(text).flatMap { [$0.name, $0.value] } == flat)
  }
}
