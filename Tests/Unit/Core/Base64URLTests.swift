import MSAuthCore
import Testing

@Suite("Base64 for URLs")
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

  @Test("every byte comes back, at every length")
  func roundTrip() {
    let all = Array(UInt8.min...UInt8.max)
    for count in 0...all.count {
      #expect(Base64URL.decode(Base64URL.encode(all.suffix(count))) == all.suffix(count))
    }
  }

  @Test(
    "what encodes no bytes is refused",
    arguments: [
      "A", "AAAAA", "AA==", "AAA=", "AB", "AAB", "A+", "A/", "A A", "AA\n", " AA", "AA\0", "Å", "A\u{301}A",
      "AA\u{301}",
      "АА", "😀",
    ]
  )
  func refused(text: String) {
    #expect(Base64URL.decode(text) == nil)
  }
}
