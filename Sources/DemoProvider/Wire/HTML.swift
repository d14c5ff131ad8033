import MSAuthCore

/// HTML that escapes interpolated values unless they are HTML.
struct HTML: Sendable, Equatable, ExpressibleByStringInterpolation {
  let source: String

  init(stringLiteral value: String) { source = value }

  init(stringInterpolation: Interpolation) { source = stringInterpolation.source }

  private init(source: String) { self.source = source }

  static func + (left: HTML, right: HTML) -> HTML { HTML(source: left.source + right.source) }

  static func joined(_ pieces: [HTML]) -> HTML { HTML(source: pieces.map(\.source).joined(separator: "\n")) }

  struct Interpolation: StringInterpolationProtocol {
    var source = ""

    init(literalCapacity: Int, interpolationCount: Int) { source.reserveCapacity(literalCapacity * 2) }

    mutating func appendLiteral(_ literal: String) { source += literal }
    mutating func appendInterpolation(_ text: String) { source += text.escapedForHTML }
    mutating func appendInterpolation(_ number: Int) { source += String(number) }
    mutating func appendInterpolation(_ piece: HTML) { source += piece.source }
    mutating func appendInterpolation(_ piece: HTML?) { source += piece?.source ?? "" }
  }
}
