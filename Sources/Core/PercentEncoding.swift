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
      guard index + 2 < bytes.count, let high = bytes[index + 1].hexDigitValue, let low = bytes[index + 2].hexDigitValue
      else {
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
}
