/// The `application/x-www-form-urlencoded` format, in which OAuth sends its parameters both ways (RFC 6749 Appendix B).
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

  package static func decode(_ text: some StringProtocol) throws(Refusal) -> [(name: String, value: String)] {
    try decode(Array(text.utf8))
  }

  /// Rejects what browsers and providers would read in different ways; line breaks are in Microsoft's errors.
  package static func decode(_ bytes: [UInt8]) throws(Refusal) -> [(name: String, value: String)] {
    var pairs: [(name: String, value: String)] = []
    for pair in bytes.split(separator: UInt8(ascii: "&")) {
      let name = pair.prefix { $0 != UInt8(ascii: "=") }
      pairs.append((try unescape(name), try unescape(pair.dropFirst(name.count + 1))))
    }
    return pairs
  }

  private static func unescape(_ bytes: ArraySlice<UInt8>) throws(Refusal) -> String {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var position = bytes.startIndex
    while position < bytes.endIndex {
      switch bytes[position] {
      case UInt8(ascii: "+"):
        decoded.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        guard bytes.endIndex - position > 2, let high = bytes[position + 1].hexDigitValue,
          let low = bytes[position + 2].hexDigitValue
        else { throw Refusal("a percent escape at byte \(position) is malformed") }
        decoded.append(high << 4 | low)
        position += 2
      case 0x21...0x7E:
        decoded.append(bytes[position])
      default:
        throw Refusal("a character at byte \(position) should have been escaped")
      }
      position += 1
    }
    guard !decoded.contains(0) else { throw Refusal("a parameter has a NUL character") }
    guard let text = String(validating: decoded, as: UTF8.self) else { throw Refusal("a parameter is not UTF-8 text") }
    return text
  }
}
