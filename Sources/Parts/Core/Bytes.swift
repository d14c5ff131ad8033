extension Sequence<UInt8> {
  /// Lowercase, two digits per byte.
  package var hexadecimal: String {
    map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }
}

extension UInt16 {
  /// Lowercase, four digits.
  package var hexadecimal: String { [UInt8(self >> 8), UInt8(self & 0xFF)].hexadecimal }
}

extension [UInt8] {
  /// The bytes, or an empty JSON object if there is nothing but white space.
  package var emptyObjectIfBlank: [UInt8] { allSatisfy(" \t\r\n".utf8.contains) ? Array("{}\n".utf8) : self }

  /// The text before the first line break.
  package var firstLine: String {
    String(decoding: prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }, as: UTF8.self)
  }
}

extension BidirectionalCollection<UInt8> {
  /// Removes these ASCII characters from both ends.
  package func trimming(_ characters: String) -> SubSequence {
    var rest = drop(while: characters.utf8.contains)
    while let last = rest.last, characters.utf8.contains(last) { rest = rest.dropLast() }
    return rest
  }
}

extension UInt8 {
  package var isASCIIDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

  var isASCIILetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }

  package var isASCIIAlphanumeric: Bool { isASCIILetter || isASCIIDigit }

  /// Whether the byte is visible ASCII: neither a space nor a control character.
  package var isASCIIVisible: Bool { (0x21...0x7E).contains(self) }

  package var asciiLowercased: UInt8 { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self }

  /// The value of a hexadecimal digit in either case.
  package var hexDigitValue: UInt8? { Character(Unicode.Scalar(self)).hexDigitValue.map { UInt8($0) } }
}
