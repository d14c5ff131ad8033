extension JSON {
  /// A JSON number as it was written (RFC 8259 §6); it may be larger or more precise than any number type.
  public struct Number: Sendable, Hashable {
    /// The number as it was written, such as `1`, `-0.5` or `1e400`.
    public let lexeme: String

    /// Makes a number of an integer.
    ///
    /// - Parameter value: The integer.
    public init(_ value: some FixedWidthInteger) {
      self.lexeme = String(value)
    }

    /// Makes a number of a finite `Double`; nil for an infinity or NaN, which JSON does not have.
    ///
    /// - Parameter value: The `Double`; one without a fraction is written as an integer.
    public init?(_ value: Double) {
      guard value.isFinite else { return nil }
      self.lexeme = Int64(exactly: value).map { String($0) } ?? value.description
    }

    /// Takes a lexeme that the reader has checked.
    init(checked lexeme: String) {
      self.lexeme = lexeme
    }

    /// The number as an integer, if it is one and fits; `1.0` and `1e2` are integers too.
    public var integer: Int64? {
      guard let whole = whole(), whole.isExact else { return nil }
      return whole.value
    }

    /// The number without its fraction, if that fits: a NumericDate may have one (RFC 7519 §2).
    public var truncated: Int64? { whole()?.value }

    /// Whether the number is below zero as written; `-0` is not.
    public var isNegative: Bool { lexeme.utf8.first == UInt8(ascii: "-") && double != 0 }

    /// The nearest `Double`; infinite for a number beyond its range.
    public var double: Double { Double(lexeme) ?? .nan }

    /// The part before the decimal point, and whether nothing but zeros follows it.
    private func whole() -> (value: Int64, isExact: Bool)? {
      // Python's `NaN` and `Infinity` have no digits.
      guard lexeme.utf8.last?.isASCIIDigit == true else { return nil }
      var digits: [UInt8] = []
      var fractionDigits = 0
      var isFraction = false
      var isNegative = false
      var rest = lexeme.utf8[...]
      loop: while let byte = rest.first {
        switch byte {
        case UInt8(ascii: "-"): isNegative = true
        case UInt8(ascii: "."): isFraction = true
        case UInt8(ascii: "e"), UInt8(ascii: "E"): break loop
        default:
          digits.append(byte - UInt8(ascii: "0"))
          if isFraction { fractionDigits += 1 }
        }
        rest = rest.dropFirst()
      }
      let leadingZeros = digits.prefix { $0 == 0 }.count
      let significant = digits.dropFirst(leadingZeros)
      guard !significant.isEmpty else { return (0, true) }
      let wholeDigits = significant.count - fractionDigits + Self.exponent(rest.dropFirst())
      guard wholeDigits > 0 else { return (0, false) }
      // Int64 has 19 digits.
      guard wholeDigits <= 19 else { return nil }
      var value: Int64 = 0
      for index in 0..<wholeDigits {
        let digit = index < significant.count ? Int64(significant[significant.startIndex + index]) : 0
        let (product, isTooLarge) = value.multipliedReportingOverflow(by: 10)
        let (sum, overflows) = product.addingReportingOverflow(isNegative ? -digit : digit)
        guard !isTooLarge, !overflows else { return nil }
        value = sum
      }
      return (value, significant.dropFirst(wholeDigits).allSatisfy { $0 == 0 })
    }

    /// Reads an exponent; one beyond a billion is as good as a billion, for a lexeme is never that long.
    private static func exponent(_ text: Substring.UTF8View) -> Int {
      var value = 0
      for byte in text where byte.isASCIIDigit {
        value = min(value * 10 + Int(byte - UInt8(ascii: "0")), 1_000_000_000)
      }
      return text.first == UInt8(ascii: "-") ? -value : value
    }
  }
}
