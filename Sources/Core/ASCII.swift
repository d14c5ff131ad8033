extension UInt8 {
  package var isASCIIDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

  package var isASCIILetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }

  package var isASCIIAlphanumeric: Bool { isASCIILetter || isASCIIDigit }

  /// Whether the byte is visible ASCII: neither a space nor a control character.
  package var isASCIIVisible: Bool { (0x21...0x7E).contains(self) }

  /// Whether the byte may be in a token of HTTP (`tchar` of RFC 9110 §5.6.2).
  package var isHTTPTokenCharacter: Bool {
    isASCIIAlphanumeric || "!#$%&'*+-.^_`|~".utf8.contains(self)
  }

  /// Whether the byte may be in the value of a header field (RFC 9110 §5.5).
  package var isHTTPFieldCharacter: Bool { self >= 0x20 && self != 0x7F || self == UInt8(ascii: "\t") }

  package var asciiLowercased: UInt8 { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self }

  /// The value of a hexadecimal digit in either case.
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
  /// Compares UTF-8 bytes: OpenID Connect compares identifiers by code points (Core §2), Swift's `==` canonically.
  package func isIdentical(to other: some StringProtocol) -> Bool {
    utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
  }
}
