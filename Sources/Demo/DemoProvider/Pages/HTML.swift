import MSAuthCore

/// HTML that escapes interpolated values unless they are HTML.
struct HTML: Sendable, Equatable, ExpressibleByStringInterpolation {
  let source: String

  init(stringLiteral value: String) { source = value }

  init(stringInterpolation: Interpolation) { source = stringInterpolation.source }

  init(lines: [HTML]) { source = lines.map(\.source).joined(separator: "\n") }

  struct Interpolation: StringInterpolationProtocol {
    var source = ""

    init(literalCapacity: Int, interpolationCount: Int) {}

    mutating func appendLiteral(_ literal: String) { source += literal }
    mutating func appendInterpolation(_ text: String) { source += text.escapedForHTML }
    mutating func appendInterpolation(_ piece: HTML) { source += piece.source }
  }
}
