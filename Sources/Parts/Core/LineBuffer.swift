/// Splits bytes that arrive in pieces into lines.
package struct LineBuffer: Sendable {
  private let maximumLength: Int
  private var rest: [UInt8] = []

  package init(maximumLength: Int) { self.maximumLength = maximumLength }

  /// Returns the lines that are complete; rejects lines that are too long.
  package mutating func append(_ bytes: [UInt8]) throws(Refusal) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        lines.append(takeRest())
      } else if rest.count < maximumLength {
        rest.append(byte)
      } else {
        rest = []
        throw Refusal("a line is too long")
      }
    }
    return lines
  }

  /// Returns the lines that are complete; cuts lines that are too long.
  package mutating func appendCutting(_ bytes: [UInt8]) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    for byte in bytes {
      if byte != UInt8(ascii: "\n") { rest.append(byte) }
      if byte == UInt8(ascii: "\n") || rest.count == maximumLength { lines.append(takeRest()) }
    }
    return lines
  }

  package mutating func takeRest() -> [UInt8] {
    defer { rest = [] }
    return rest
  }
}
