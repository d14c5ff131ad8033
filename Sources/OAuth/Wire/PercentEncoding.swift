/// Percent-encoding, RFC 3986 §2.1.
enum PercentEncoding {
  /// Whether each `%` starts an escape, and no escape stands for a control character, a slash or a dot.
  ///
  /// Those three change a path's meaning for readers that unescape first.
  static func isWellFormed(_ segment: Substring) -> Bool {
    let bytes = Array(segment.utf8)
    var index = 0
    while index < bytes.count {
      guard bytes[index] == UInt8(ascii: "%") else {
        index += 1
        continue
      }
      guard index + 2 < bytes.count, let high = nibble(bytes[index + 1]), let low = nibble(bytes[index + 2]) else {
        return false
      }
      let byte = high << 4 | low
      if byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ".")
        || byte == UInt8(ascii: "\\")
      {
        return false
      }
      index += 3
    }
    return true
  }

  /// The value of one hexadecimal digit.
  static func nibble(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
