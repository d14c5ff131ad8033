/// A JSON value (RFC 8259).
///
/// Numbers keep their spelling, and invalid strings survive a round trip. Strings and member names are
/// compared as UTF-8 bytes, never by canonical equivalence.
public enum JSONValue: Sendable {
  case null
  case bool(Bool)
  /// A number as it was written.
  case number(Number)
  case string(String)
  /// A string with a lone surrogate, or with more than 30 combining marks in a row, which Swift compares in quadratic
  /// time, as UTF-16 code units.
  case invalidString([UInt16])
  case array([JSONValue])
  case object(Object)
}

extension JSONValue {
  /// The string, if the value is a valid one.
  public var string: String? {
    if case .string(let value) = self { value } else { nil }
  }

  /// The Boolean, if the value is one.
  public var bool: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// The number, if the value is one.
  public var number: Number? {
    if case .number(let value) = self { value } else { nil }
  }

  /// The number as an integer, if the value is a number without a fraction that fits.
  public var integer: Int64? { number?.integer }

  /// The number as the nearest `Double`, if the value is a number.
  public var double: Double? { number?.double }

  /// The elements, if the value is an array.
  public var array: [JSONValue]? {
    if case .array(let value) = self { value } else { nil }
  }

  /// The members, if the value is an object.
  public var object: Object? {
    if case .object(let value) = self { value } else { nil }
  }

  /// The member of that name, if the value is an object that has it.
  public subscript(_ name: String) -> JSONValue? { object?[name] }
}

extension JSONValue {
  /// A JSON number as written (RFC 8259 §6); it may be larger or more precise than any number type.
  public struct Number: Sendable, Hashable {
    /// The number as written, such as `1`, `-0.5` or `1e400`.
    public let lexeme: String

    /// Creates a number from an integer.
    public init(_ value: some FixedWidthInteger) { lexeme = String(value) }

    /// Creates a number from a `Double`, or `nil` for an infinity or NaN, which JSON does not have.
    ///
    /// - Parameter value: The `Double`; one without a fraction is written as an integer.
    public init?(_ value: Double) {
      guard value.isFinite else { return nil }
      lexeme = Int64(exactly: value).map { String($0) } ?? value.description
    }

    /// Takes a lexeme that the reader has checked.
    init(checked lexeme: String) { self.lexeme = lexeme }

    /// The number as an integer, if it is one and fits; `1.0` and `1e2` are integers too.
    public var integer: Int64? { whole.flatMap { $0.isExact ? $0.value : nil } }

    /// The number without its fraction, if that fits: a NumericDate may have one (RFC 7519 §2).
    package var truncated: Int64? { whole?.value }

    /// Whether the number is below zero; `-0` is not.
    package var isNegative: Bool { double < 0 }

    /// The nearest `Double`; infinite for a number beyond its range.
    public var double: Double { Double(lexeme) ?? .nan }

    /// The part before the decimal point, exactly, and whether nothing but zeros follows it.
    private var whole: (value: Int64, isExact: Bool)? {
      // Python's `NaN` and `Infinity` have no digits.
      guard lexeme.utf8.last?.isASCIIDigit == true else { return nil }
      let parts = lexeme.utf8.split { $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E") }
      let exponent = parts.count == 2 ? String(parts[1]) ?? "" : "0"
      let mantissa = parts[0].split(separator: UInt8(ascii: "."))
      let digits = mantissa.joined().filter(\.isASCIIDigit)
      let significant = digits.drop { $0 == UInt8(ascii: "0") }
      guard !significant.isEmpty else { return (0, true) }
      let fraction = mantissa.count == 2 ? mantissa[1].count : 0
      // An exponent beyond `Int32` is clamped: no lexeme is that long.
      let count = significant.count - fraction + Int(Int32(exponent) ?? (exponent.hasPrefix("-") ? .min : .max))
      guard count > 0 else { return (0, false) }
      // `Int64` has 19 digits.
      guard count <= 19 else { return nil }
      let sign = lexeme.hasPrefix("-") ? "-" : ""
      let zeros = String(repeating: "0", count: max(0, count - significant.count))
      return Int64(sign + String(decoding: significant.prefix(count), as: UTF8.self) + zeros)
        .map { ($0, significant.dropFirst(count).allSatisfy { $0 == UInt8(ascii: "0") }) }
    }
  }
}

extension JSONValue: Hashable {
  /// Compares strings as bytes and numbers as written.
  public static func == (left: JSONValue, right: JSONValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.number(let left), .number(let right)): left == right
    case (.string(let left), .string(let right)): left.isIdentical(to: right)
    case (.invalidString(let left), .invalidString(let right)): left == right
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    default: false
    }
  }

  /// Hashes what equality compares.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let value): hasher.combine(value)
    case .number(let value): hasher.combine(value)
    case .string(let value):
      // `String` normalizes before it hashes, which takes quadratic time for a long sequence of combining marks.
      var value = value
      value.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
      hasher.combine(0xFF as UInt8)
    case .invalidString(let units): hasher.combine(units)
    case .array(let elements): hasher.combine(elements)
    case .object(let members): hasher.combine(members)
    }
  }
}

extension JSONValue: CustomStringConvertible {
  /// The value as JSON.
  public var description: String { serializedString() }
}

extension JSONValue {
  package init(omittingNil members: KeyValuePairs<String, JSONValue?>) {
    self = .object(Object(members.compactMap { name, value in value.map { (name, $0) } }))
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(stringLiteral value: String) { self = .string(value) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(integerLiteral value: Int64) { self = .number(Number(value)) }
  /// Creates a number, or null if the literal is beyond the range of `Double`.
  public init(floatLiteral value: Double) { self = Number(value).map { .number($0) } ?? .null }
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  /// Creates an object; if a name is repeated, its last value applies.
  public init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(Object(elements)) }
}
