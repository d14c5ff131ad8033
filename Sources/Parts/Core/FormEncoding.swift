/// The `application/x-www-form-urlencoded` format of OAuth's parameters (RFC 6749 Appendix B).
package enum FormEncoding {
  package static let mediaType = "application/x-www-form-urlencoded"

  package static func encode(_ pairs: [(name: String, value: String)]) -> String {
    pairs.map { encode($0.name) + "=" + encode($0.value) }.joined(separator: "&")
  }

  /// A space becomes `%20`, not `+`, which only form decoders read.
  package static func encode(_ text: String) -> String {
    text.utf8.map { byte in
      byte.isASCIIAlphanumeric || "*-._".utf8.contains(byte)
        ? String(Unicode.Scalar(byte)) : "%\([byte].hexadecimal.uppercased())"
    }.joined()
  }

  /// Replaces invalid escapes, invalid UTF-8 and NUL with U+FFFD, which no code, state or issuer contains.
  ///
  /// An error's description may be invalid: browsers escape the Latin-1 bytes of a `Location` field.
  package static func decode(_ bytes: [UInt8]) -> [(name: String, value: String)] {
    bytes.split(separator: UInt8(ascii: "&")).map { pair in
      let name = pair.prefix { $0 != UInt8(ascii: "=") }
      return (unescape(name), unescape(pair.dropFirst(name.count + 1)))
    }
  }

  package static func decode(_ text: some StringProtocol) -> [(name: String, value: String)] {
    decode(Array(text.utf8))
  }

  private static func unescape(_ bytes: ArraySlice<UInt8>) -> String {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var position = bytes.startIndex
    while position < bytes.endIndex {
      switch bytes[position] {
      case UInt8(ascii: "+"):
        decoded.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        if bytes.endIndex - position > 2, let high = bytes[position + 1].hexDigitValue,
          let low = bytes[position + 2].hexDigitValue
        {
          decoded.append(high << 4 | low)
          position += 2
        } else {
          decoded += "\u{FFFD}".utf8
        }
      default:
        decoded.append(bytes[position])
      }
      position += 1
    }
    // 0xFF is never valid UTF-8.
    return String(decoding: decoded.map { $0 == 0 ? 0xFF : $0 }, as: UTF8.self)
  }
}
