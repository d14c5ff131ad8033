/// Classes of ASCII bytes, for protocols that are defined in bytes.
extension UInt8 {
  /// Whether the byte is `0` to `9`.
  package var isASCIIDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

  /// Whether the byte is `A` to `Z` or `a` to `z`.
  package var isASCIILetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }

  /// Whether the byte is an ASCII letter or digit.
  package var isASCIIAlphanumeric: Bool { isASCIILetter || isASCIIDigit }

  /// Whether the byte is visible ASCII: neither a space nor a control character.
  package var isASCIIVisible: Bool { (0x21...0x7E).contains(self) }

  /// Whether the byte may be in a token of HTTP (`tchar` of RFC 9110 §5.6.2).
  package var isHTTPTokenCharacter: Bool {
    if isASCIIAlphanumeric { return true }
    return switch self {
    case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
      UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
      true
    default: false
    }
  }

  /// The byte with `A` to `Z` made lower case.
  package var asciiLowercased: UInt8 { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self }

  /// The value of a hexadecimal digit of either case; nil for any other byte.
  package var hexDigitValue: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

extension String {
  /// Whether both strings are the same bytes of UTF-8.
  ///
  /// Swift's `==` also calls strings equal that only look equal, such as a composed and a decomposed é. OpenID Connect
  /// compares identifiers by code points (Core §2).
  package func isIdentical(to other: some StringProtocol) -> Bool {
    if let other = other as? String { return isIdentical(to: other) }
    return utf8.elementsEqual(other.utf8)
  }

  /// Whether both strings are the same bytes of UTF-8: for whole strings without the cost of a generic comparison.
  package func isIdentical(to other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    var (left, right) = (self, other)
    return left.withUTF8 { left in right.withUTF8 { left.isIdentical(to: $0) } }
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether both are the same bytes.
  func isIdentical(to other: UnsafeBufferPointer<UInt8>) -> Bool {
    guard count == other.count else { return false }
    // Without an early end the compiler compares many bytes at a time.
    var difference: UInt8 = 0
    for index in 0..<count { difference |= self[index] ^ other[index] }
    return difference == 0
  }
}
