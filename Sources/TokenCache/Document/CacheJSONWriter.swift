extension CacheJSON {
  /// The value as MSAL Python writes it: four blanks a level, members in the order of their names, ASCII alone.
  ///
  /// ASCII, because some readers open the file in the locale's encoding.
  func serialized() -> [UInt8] {
    var bytes: [UInt8] = []
    write(to: &bytes, indent: 0)
    return bytes
  }

  private func write(to bytes: inout [UInt8], indent: Int) {
    switch self {
    case .null: bytes += "null".utf8
    case .bool(let value): bytes += (value ? "true" : "false").utf8
    case .number(let text): bytes += text.utf8
    case .string(let text): Self.write(text.utf16, to: &bytes)
    case .brokenString(let units): Self.write(units, to: &bytes)
    case .array(let elements):
      Self.write("[", elements, "]", to: &bytes, indent) { element, bytes in
        element.write(to: &bytes, indent: indent + 1)
      }
    case .object(let members):
      Self.write("{", members.sorted { $0.key < $1.key }, "}", to: &bytes, indent) { member, bytes in
        Self.write(member.key.utf16, to: &bytes)
        bytes += ": ".utf8
        member.value.write(to: &bytes, indent: indent + 1)
      }
    }
  }

  private static func write<Part>(
    _ open: String,
    _ parts: [Part],
    _ close: String,
    to bytes: inout [UInt8],
    _ indent: Int,
    _ body: (Part, inout [UInt8]) -> Void
  ) {
    bytes += open.utf8
    for (index, part) in parts.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      newLine(indent + 1, &bytes)
      body(part, &bytes)
    }
    if !parts.isEmpty { newLine(indent, &bytes) }
    bytes += close.utf8
  }

  private static func newLine(_ indent: Int, _ bytes: inout [UInt8]) {
    bytes.append(0x0A)
    bytes += repeatElement(0x20, count: 4 * indent)
  }

  private static func write(_ units: some Sequence<UInt16>, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for unit in units {
      switch unit {
      case 0x22, 0x5C: bytes += [0x5C, UInt8(unit)]
      case 0x20..<0x7F: bytes.append(UInt8(unit))
      case 0x0A: bytes += #"\n"#.utf8
      case 0x0D: bytes += #"\r"#.utf8
      case 0x09: bytes += #"\t"#.utf8
      default:
        let digits = Array("0123456789abcdef".utf8)
        bytes += #"\u"#.utf8
        bytes += [12, 8, 4, 0].map { digits[Int(unit >> $0 & 0xF)] }
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
