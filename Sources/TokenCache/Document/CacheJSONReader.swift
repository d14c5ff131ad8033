/// Reads JSON (RFC 8259) strictly, but for two things in which it follows the other MSAL libraries: of two members of
/// one name the last counts, and a byte order mark in front is skipped.
struct CacheJSONReader {
  /// Why the bytes are no JSON, and where.
  struct Failure: Error, Equatable {
    let what: String
    let offset: Int
  }

  /// The schema is three levels deep; this bounds the stack that a hostile file can ask for.
  static let deepest = 128

  private let bytes: [UInt8]
  private var next = 0

  private init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Reads one value that fills the bytes.
  static func value(of bytes: [UInt8]) throws(Failure) -> CacheJSON {
    var reader = CacheJSONReader(bytes)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { reader.next = 3 }
    let value = try reader.value(depth: 0)
    reader.skipSpace()
    guard reader.next == bytes.count else { throw reader.failure("more follows after its end") }
    return value
  }

  private func failure(_ what: String) -> Failure { Failure(what: what, offset: next) }

  private var byte: UInt8? { next < bytes.count ? bytes[next] : nil }

  private mutating func skipSpace() {
    while let byte, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { next += 1 }
  }

  private mutating func value(depth: Int) throws(Failure) -> CacheJSON {
    guard depth < Self.deepest else { throw failure("it is nested too deeply") }
    skipSpace()
    switch byte {
    case UInt8(ascii: "{"): return try object(depth)
    case UInt8(ascii: "["): return try array(depth)
    case UInt8(ascii: "\""):
      let units = try units()
      return String(validating: units, as: UTF16.self).map { .string($0) } ?? .brokenString(units)
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case nil: throw failure("it ends too early")
    case .some(UInt8(ascii: "-")), .some(UInt8(ascii: "0")...UInt8(ascii: "9")): return try number()
    default: throw failure("a value was expected")
    }
  }

  private mutating func object(_ depth: Int) throws(Failure) -> CacheJSON {
    var members: [String: CacheJSON] = [:]
    next += 1
    skipSpace()
    if take("}") { return .object(members) }
    while true {
      skipSpace()
      guard byte == UInt8(ascii: "\"") else { throw failure("a member's name was expected") }
      guard let name = String(validating: try units(), as: UTF16.self) else {
        throw failure("half a character stands alone in a member's name")
      }
      skipSpace()
      guard take(":") else { throw failure("a colon was expected") }
      members[name] = try value(depth: depth + 1)
      skipSpace()
      if take("}") { return .object(members) }
      guard take(",") else { throw failure("a comma or the object's end was expected") }
    }
  }

  private mutating func array(_ depth: Int) throws(Failure) -> CacheJSON {
    var elements: [CacheJSON] = []
    next += 1
    skipSpace()
    if take("]") { return .array(elements) }
    while true {
      elements.append(try value(depth: depth + 1))
      skipSpace()
      if take("]") { return .array(elements) }
      guard take(",") else { throw failure("a comma or the array's end was expected") }
    }
  }

  private mutating func take(_ mark: Unicode.Scalar) -> Bool {
    guard byte == UInt8(ascii: mark) else { return false }
    next += 1
    return true
  }

  private mutating func word(_ word: StaticString, _ value: CacheJSON) throws(Failure) -> CacheJSON {
    let length = word.utf8CodeUnitCount
    let matches = word.withUTF8Buffer { bytes[next...].prefix(length).elementsEqual($0) }
    guard matches else { throw failure("a value was expected") }
    next += length
    return value
  }

  private mutating func number() throws(Failure) -> CacheJSON {
    let start = next
    _ = take("-")
    // RFC 8259 §6: no leading zeros.
    if !take("0") { try digits() }
    if take(".") { try digits() }
    if take("e") || take("E") {
      _ = take("+") || take("-")
      try digits()
    }
    return .number(String(decoding: bytes[start..<next], as: UTF8.self))
  }

  private mutating func digits() throws(Failure) {
    let start = next
    while let byte, (0x30...0x39).contains(byte) { next += 1 }
    guard next > start else { throw failure("a digit was expected") }
  }
}

extension CacheJSONReader {
  /// A text as UTF-16, in which JSON's escapes are written (RFC 8259 §7) and may leave half a character alone.
  private mutating func units() throws(Failure) -> [UInt16] {
    next += 1
    var units: [UInt16] = []
    while true {
      let start = next
      while let byte, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { next += 1 }
      guard let text = String(validating: bytes[start..<next], as: UTF8.self) else {
        throw failure("a text is not UTF-8")
      }
      units += text.utf16
      switch byte {
      case UInt8(ascii: "\""):
        next += 1
        return units
      case UInt8(ascii: "\\"):
        next += 1
        units.append(try escaped())
      case nil: throw failure("it ends within a text")
      default: throw failure("a control character stands in a text")
      }
    }
  }

  /// What an escape stands for.
  private mutating func escaped() throws(Failure) -> UInt16 {
    defer { next += 1 }
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return UInt16(bytes[next])
    case UInt8(ascii: "b"): return 0x08
    case UInt8(ascii: "f"): return 0x0C
    case UInt8(ascii: "n"): return 0x0A
    case UInt8(ascii: "r"): return 0x0D
    case UInt8(ascii: "t"): return 0x09
    case UInt8(ascii: "u"): return try unit()
    default: throw failure("an escape is not one of JSON's")
    }
  }

  /// The four digits after a `u`; leaves the last one to be skipped.
  private mutating func unit() throws(Failure) -> UInt16 {
    var value: UInt16 = 0
    for _ in 0..<4 {
      next += 1
      guard let byte, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw failure("an escape lacks its four digits")
      }
      value = value << 4 | UInt16(digit)
    }
    return value
  }
}
