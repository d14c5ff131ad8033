package import FoundationEssentials

/// Any JSON value, so that what this version does not know is kept as it was.
package enum JSONValue: Sendable, Equatable {
  case null
  case bool(Bool)
  case number(Decimal)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  /// Reads a JSON document.
  ///
  /// - Throws: `DecodingError` when the bytes are not one JSON value.
  package init(parsing bytes: some Sequence<UInt8>) throws {
    self = try JSONDecoder().decode(JSONValue.self, from: Data(bytes))
  }

  /// The document's bytes, keys sorted so that equal values have equal bytes.
  ///
  /// - Parameter pretty: Whether to indent, for files that people open.
  /// - Returns: UTF-8 bytes.
  package func serialized(pretty: Bool = false) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if pretty { encoder.outputFormatting.insert(.prettyPrinted) }
    // A JSONValue holds JSON alone, so encoding it cannot fail.
    return (try? encoder.encode(self)).map { [UInt8]($0) } ?? []
  }
}

extension JSONValue {
  package var string: String? {
    if case .string(let value) = self { value } else { nil }
  }

  package var object: [String: JSONValue]? {
    if case .object(let value) = self { value } else { nil }
  }

  package var array: [JSONValue]? {
    if case .array(let value) = self { value } else { nil }
  }

  package var bool: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// The number as a whole one, when it is one and fits.
  package var integer: Int64? {
    // Decimal writes a whole number without point or exponent, so its text parses exactly or not at all.
    if case .number(let value) = self { Int64(value.description) } else { nil }
  }

  /// The member of that name, when this is an object that has it.
  package subscript(_ key: String) -> JSONValue? { object?[key] }
}

extension JSONValue: Codable {
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([String: JSONValue].self) {
      self = .object(value)
    } else if let value = try? container.decode([JSONValue].self) {
      self = .array(value)
    } else {
      self = .number(try container.decode(Decimal.self))
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral
{
  package init(stringLiteral value: String) { self = .string(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(integerLiteral value: Int64) { self = .number(Decimal(value)) }
  package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  package init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(Dictionary(elements) { _, last in last })
  }
}
