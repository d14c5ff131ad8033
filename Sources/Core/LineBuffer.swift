/// Gathers bytes that come in pieces into lines.
package struct LineBuffer: Sendable {
  private let maximumLength: Int
  private var rest: [UInt8] = []

  package init(maximumLength: Int) {
    self.maximumLength = maximumLength
  }

  /// Takes more bytes.
  package mutating func append(_ bytes: [UInt8]) throws(Refusal) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    var left = bytes[...]
    while let end = left.firstIndex(of: UInt8(ascii: "\n")) {
      try take(left[..<end])
      lines.append(rest)
      rest = []
      left = left[(end + 1)...]
    }
    try take(left)
    return lines
  }

  /// Takes more bytes, and cuts lines that are too long.
  package mutating func appendCutting(_ bytes: [UInt8]) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    for byte in bytes {
      if byte != UInt8(ascii: "\n") { rest.append(byte) }
      guard byte == UInt8(ascii: "\n") || rest.count == maximumLength else { continue }
      lines.append(takeRest())
    }
    return lines
  }

  /// What came after the last whole line.
  package mutating func takeRest() -> [UInt8] {
    defer { rest = [] }
    return rest
  }

  private mutating func take(_ part: ArraySlice<UInt8>) throws(Refusal) {
    guard rest.count + part.count <= maximumLength else {
      rest = []
      throw Refusal("a line is too long")
    }
    rest += part
  }
}
