/// A JSON value as it stands in the cache file, so that what this version does not know is written back as it was.
///
/// Numbers stay the text that they were: other programs' fields may not fit any number type of ours.
enum CacheJSON: Sendable, Equatable {
  case null
  case bool(Bool)
  case number(String)
  case string(String)
  /// A text with half a character in it (a lone surrogate, as Python writes one), which is no text here; UTF-16.
  case brokenString([UInt16])
  case array([CacheJSON])
  case object([String: CacheJSON])

  var string: String? {
    if case .string(let value) = self { value } else { nil }
  }

  var object: [String: CacheJSON]? {
    if case .object(let value) = self { value } else { nil }
  }

  var array: [CacheJSON]? {
    if case .array(let value) = self { value } else { nil }
  }

  /// The member of that name, when this is an object that has it.
  subscript(_ key: String) -> CacheJSON? { object?[key] }
}

extension CacheJSON: ExpressibleByStringLiteral, ExpressibleByDictionaryLiteral {
  init(stringLiteral value: String) { self = .string(value) }
  init(dictionaryLiteral elements: (String, CacheJSON)...) {
    self = .object(Dictionary(elements) { _, last in last })
  }
}
