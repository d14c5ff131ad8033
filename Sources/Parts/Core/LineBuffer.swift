/// Splits bytes that arrive in pieces into lines.
package struct LineBuffer: Sendable {
  private let maximumLength: Int
  private let cutsLongLines: Bool
  private var rest: [UInt8] = []

  /// Rejects lines that are too long, or cuts them.
  package init(maximumLength: Int, cutsLongLines: Bool = false) {
    (self.maximumLength, self.cutsLongLines) = (maximumLength, cutsLongLines)
  }

  /// Returns the lines that are complete.
  package mutating func append(_ bytes: [UInt8]) throws(Rejection) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    for byte in bytes {
      let isEnd = byte == UInt8(ascii: "\n")
      guard isEnd || rest.count < maximumLength else {
        rest = []
        throw Rejection("a line is too long")
      }
      if !isEnd { rest.append(byte) }
      if isEnd || cutsLongLines && rest.count == maximumLength { lines.append(takeRest()) }
    }
    return lines
  }

  package mutating func takeRest() -> [UInt8] { exchange(&rest, with: []) }
}
