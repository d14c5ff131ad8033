import OAuth
import Testing

@Suite("forms")
struct FormEncodingTests {
  static func text(_ parameters: [(name: String, value: String)]) -> [String] {
    parameters.map { "\($0.name)=\($0.value)" }
  }

  @Test(
    "decoding keeps order, repeats and empty values",
    arguments: [
      ("a=1&b=2&a=3", ["a=1", "b=2", "a=3"]),
      ("", []),
      ("&&a=1&", ["a=1"]),
      ("a", ["a="]),
      ("a=", ["a="]),
      ("=1", ["=1"]),
      ("a=b=c", ["a=b=c"]),
      ("a=x+y%20z%2B", ["a=x y z+"]),
      ("%C3%A9=%e2%82%ac", ["é=€"]),
      ("a=%26%3D", ["a=&="]),
      ("a=é", ["a=é"]),
    ]
  )
  func decodes(_ form: String, _ expected: [String]) throws {
    #expect(Self.text(try FormEncoding.decode(form)) == expected)
  }

  @Test(
    "what a lenient decoder would change is an error",
    arguments: [
      ("a=%", FormEncoding.DecodingError.badPercent),
      ("a=%4", .badPercent),
      ("a=%zz", .badPercent),
      ("%g1=a", .badPercent),
      ("a=%+1", .badPercent),
      ("a=%ff", .badUTF8),
      ("a=%C3", .badUTF8),
      ("a=%C0%AF", .badUTF8),
      ("a=%ED%A0%80", .badUTF8),
      ("a=%00", .zeroByte),
      ("a%00b=1", .zeroByte),
    ]
  )
  func refuses(_ form: String, _ error: FormEncoding.DecodingError) {
    #expect(throws: error) { try FormEncoding.decode(form) }
  }

  @Test("bytes that are not UTF-8 are an error without escapes too")
  func rawBytes() {
    #expect(throws: FormEncoding.DecodingError.badUTF8) { try FormEncoding.decode([0x61, 0x3D, 0xFF]) }
    #expect(throws: FormEncoding.DecodingError.zeroByte) { try FormEncoding.decode([0x61, 0x3D, 0x00]) }
  }

  @Test("what is encoded decodes to the same")
  func roundTrip() throws {
    let parameters: [(name: String, value: String)] = [
      ("scope", "openid profile"), ("a&b=c", "x+y%20\r\n\"'<>"), ("é", "€ 𝄞"), ("empty", ""), ("~-._", "*!()"),
    ]
    let form = FormEncoding.encode(parameters)
    #expect(form.utf8.allSatisfy { (0x21...0x7E).contains($0) })
    #expect(Self.text(try FormEncoding.decode(form)) == Self.text(parameters))
    #expect(form.hasPrefix("scope=openid%20profile&a%26b%3Dc="))
  }
}
