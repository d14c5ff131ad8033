/// The `application/x-www-form-urlencoded` format, in which OAuth sends its parameters both ways (RFC 6749 Appendix B).
package enum FormEncoding {
  /// The media type of such a body.
  package static let mediaType = "application/x-www-form-urlencoded"

  /// Encodes pairs in their order.
  ///
  /// A blank becomes `%20`, not `+`: every form decoder reads both, and a URL's reader only the first.
  package static func encode(_ pairs: [(name: String, value: String)]) -> String {
    var bytes: [UInt8] = []
    for (name, value) in pairs {
      if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
      escape(name, into: &bytes)
      bytes.append(UInt8(ascii: "="))
      escape(value, into: &bytes)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Encodes one name or value.
  package static func encode(_ text: String) -> String {
    var bytes: [UInt8] = []
    escape(text, into: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Decodes a query or a form body strictly, as the function on bytes does.
  package static func decode(
    _ text: some StringProtocol
  ) throws(Refusal) -> [(name: String, value: String)] {
    try decode(Array(text.utf8))
  }

  /// Decodes a query or a form body strictly: what browsers and providers would read in different ways is refused.
  ///
  /// A pair without `=` has an empty value, and an empty pair (`a=1&&b=2`) is none. Line breaks may be in a value,
  /// for Microsoft's error descriptions have them.
  package static func decode(_ bytes: [UInt8]) throws(Refusal) -> [(name: String, value: String)] {
    var pairs: [(name: String, value: String)] = []
    var start = 0
    while start <= bytes.count {
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "&")) ?? bytes.count
      if start < end {
        let equals = bytes[start..<end].firstIndex(of: UInt8(ascii: "=")) ?? end
        pairs.append((try unescape(bytes[start..<equals]), try unescape(bytes[equals..<end].dropFirst())))
      }
      start = end + 1
    }
    return pairs
  }
}

extension FormEncoding {
  private static func escape(_ text: String, into bytes: inout [UInt8]) {
    let digits = Array("0123456789ABCDEF".utf8)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "*"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"):
        bytes.append(byte)
      default:
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0x0F)]]
      }
    }
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
