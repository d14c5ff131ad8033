import FoundationEssentials
import Core

/// The value of a claim, as JSON has it.
public enum ClaimValue: Sendable, Hashable {
  /// No value.
  case null
  /// True or false.
  case boolean(Bool)
  /// A whole number, such as a time in Unix seconds.
  case integer(Int64)
  /// Any other number.
  case number(Double)
  /// A text.
  case text(String)
  /// Values in order.
  case list([ClaimValue])
  /// Values by name.
  case object([String: ClaimValue])

  /// The text, when it is one.
  public var text: String? {
    if case .text(let text) = self { text } else { nil }
  }

  /// The whole number, when it is one.
  public var integer: Int64? {
    if case .integer(let number) = self { number } else { nil }
  }

  /// The truth, when it is one.
  public var boolean: Bool? {
    if case .boolean(let value) = self { value } else { nil }
  }

  /// The values in order, when it is a list.
  public var list: [ClaimValue]? {
    if case .list(let values) = self { values } else { nil }
  }

  /// The values by name, when it is an object.
  public var object: [String: ClaimValue]? {
    if case .object(let values) = self { values } else { nil }
  }
}

extension ClaimValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral
{
  /// Makes a text.
  public init(stringLiteral value: String) { self = .text(value) }
  /// Makes a whole number.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// Makes a truth value.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
  /// Makes a list.
  public init(arrayLiteral elements: ClaimValue...) { self = .list(elements) }
}

extension ClaimValue {
  init(_ value: JSONValue) {
    switch value {
    case .null: self = .null
    case .bool(let value): self = .boolean(value)
    case .number(let number): self = value.integer.map { .integer($0) } ?? .number(Double(number.description) ?? .nan)
    case .string(let value): self = .text(value)
    case .array(let values): self = .list(values.map { ClaimValue($0) })
    case .object(let values): self = .object(values.mapValues { ClaimValue($0) })
    }
  }

  var json: JSONValue {
    switch self {
    case .null: .null
    case .boolean(let value): .bool(value)
    case .integer(let value): .number(Decimal(value))
    case .number(let value): value.isFinite ? .number(Decimal(value)) : .null
    case .text(let value): .string(value)
    case .list(let values): .array(values.map(\.json))
    case .object(let values): .object(values.mapValues(\.json))
    }
  }
}
