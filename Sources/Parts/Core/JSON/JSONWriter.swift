extension JSONValue {
  /// How to write a document; with sorted members, equal values have equal bytes.
  package struct Format: Sendable, Hashable {
    /// The number of spaces per level; 0 writes everything on one line.
    var indentation: Int
    /// The number of levels to indent; deeper ones are written on one line.
    var indentedLevels: Int
    /// Whether to escape everything outside ASCII.
    var isASCII: Bool
    /// Whether to sort members by name; otherwise they keep the order read.
    var sortsMembers: Bool

    package init(indentation: Int = 0, indentedLevels: Int = .max, isASCII: Bool = false, sortsMembers: Bool = true) {
      (self.indentation, self.indentedLevels) = (indentation, indentedLevels)
      (self.isASCII, self.sortsMembers) = (isASCII, sortsMembers)
    }

    /// One line without spaces.
    static let compact = Format()
    /// Two spaces per level.
    package static let pretty = Format(indentation: 2)
  }

  /// Returns the document as UTF-8, without a final line break.
  package func serialized(_ format: Format = .compact) -> [UInt8] {
    var writer = Writer(format: format)
    writer.write(self, level: 0)
    return writer.bytes
  }

  /// Returns the document as a string, without a final line break.
  package func serializedString(_ format: Format = .compact) -> String {
    String(decoding: serialized(format), as: UTF8.self)
  }
}

private struct Writer {
  let format: JSONValue.Format
  var bytes: [UInt8] = []

  mutating func write(_ value: JSONValue, level: Int) {
    switch value {
    case .null: bytes += "null".utf8
    case .bool(let value): bytes += (value ? "true" : "false").utf8
    case .number(let number): bytes += number.lexeme.utf8
    case .string(let string): write(string)
    case .invalidString(let units): writeEscaping(units)
    case .array(let elements):
      write("[", elements, "]", level) { writer, element in writer.write(element, level: level + 1) }
    case .object(let object):
      write("{", format.sortsMembers ? object.sorted : object.members, "}", level) { writer, member in
        writer.write(member.key)
        writer.bytes += (writer.isIndented(level) ? ": " : ":").utf8
        writer.write(member.value, level: level + 1)
      }
    }
  }

  private mutating func write<Item>(
    _ start: String,
    _ items: [Item],
    _ end: String,
    _ level: Int,
    _ writeItem: (inout Writer, Item) -> Void
  ) {
    bytes += start.utf8
    for (index, item) in items.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      newLine(level + 1, in: level)
      writeItem(&self, item)
    }
    if !items.isEmpty { newLine(level, in: level) }
    bytes += end.utf8
  }

  private func isIndented(_ level: Int) -> Bool { format.indentation > 0 && level < format.indentedLevels }

  private mutating func newLine(_ indent: Int, in level: Int) {
    guard isIndented(level) else { return }
    bytes.append(0x0A)
    bytes += repeatElement(0x20, count: format.indentation * indent)
  }

  private mutating func write(_ string: String) {
    if format.isASCII, !string.utf8.allSatisfy({ $0 < 0x7F }) { return writeEscaping(string.utf16) }
    bytes.append(UInt8(ascii: "\""))
    for byte in string.utf8 {
      if byte < 0x20 || byte == 0x22 || byte == 0x5C { escape(UInt16(byte)) } else { bytes.append(byte) }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func writeEscaping(_ units: some Sequence<UInt16>) {
    bytes.append(UInt8(ascii: "\""))
    for unit in units {
      if (0x20..<0x7F).contains(unit), unit != 0x22, unit != 0x5C { bytes.append(UInt8(unit)) } else { escape(unit) }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func escape(_ unit: UInt16) {
    switch unit {
    case 0x22, 0x5C: bytes += [0x5C, UInt8(unit)]
    case 0x08: bytes += #"\b"#.utf8
    case 0x09: bytes += #"\t"#.utf8
    case 0x0A: bytes += #"\n"#.utf8
    case 0x0C: bytes += #"\f"#.utf8
    case 0x0D: bytes += #"\r"#.utf8
    default: bytes += (#"\u"# + unit.hexadecimal).utf8
    }
  }
}
