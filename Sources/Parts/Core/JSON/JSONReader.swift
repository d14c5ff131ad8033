import Glibc

extension JSONValue {
  /// Parses a document (RFC 8259), each byte once.
  struct Reader {
    let bytes: UnsafeBufferPointer<UInt8>
    let options: Options
    var next = 0
    var depth = 0
    var members = 0

    mutating func document() throws(ParseError) -> JSONValue {
      guard bytes.count <= options.maximumSize else { throw error(.tooLarge) }
      skipByteOrderMark()
      skipSpace()
      let value = try value()
      skipSpace()
      guard next == bytes.count else { throw error(.expected("the end")) }
      return value
    }

    mutating func value() throws(ParseError) -> JSONValue {
      switch byte {
      case UInt8(ascii: "{"): return .object(try object())
      case UInt8(ascii: "["):
        var elements: [JSONValue] = []
        try eachItem(of: "array", until: "]") { reader throws(ParseError) in elements.append(try reader.value()) }
        return .array(elements)
      case UInt8(ascii: "\""): return try string()
      case .some(UInt8(ascii: "-")), .some(UInt8(ascii: "0")...UInt8(ascii: "9")):
        if options.isLenient, take(word: "-Infinity") { return .number(Number(checked: "-Infinity")) }
        return .number(try number())
      default:
        if take(word: "true") { return true }
        if take(word: "false") { return false }
        if take(word: "null") { return .null }
        for word in ["NaN", "Infinity"] where options.isLenient && take(word: word) {
          return .number(Number(checked: word))
        }
        throw expected("a value")
      }
    }

    private mutating func object() throws(ParseError) -> Object {
      var members: [Object.Element] = []
      var starts: [Int] = []
      // An entry of a token cache has about this many.
      members.reserveCapacity(12)
      try eachMember { name, start, reader throws(ParseError) in
        members.append((name, try reader.value()))
        if !reader.options.isLenient { starts.append(start) }
      }
      let object = Object(members: members)
      if object.count < members.count, !options.isLenient, let repeated = members.repetitions.map(\.later).min() {
        throw ParseError(.duplicateName(members[repeated].key), at: starts[repeated])
      }
      return object
    }

    /// Calls `parseValue` at the value of each member, with the member's name and its position.
    mutating func eachMember(
      _ parseValue: (_ name: String, _ start: Int, _ reader: inout Reader) throws(ParseError) -> Void
    ) throws(ParseError) {
      try eachItem(of: "object", until: "}") { reader throws(ParseError) in
        let start = reader.next
        guard reader.byte == UInt8(ascii: "\"") else { throw reader.expected("a member's name") }
        let name = try reader.name()
        reader.skipSpace()
        guard reader.take(":") else { throw reader.expected("a colon") }
        reader.skipSpace()
        try parseValue(name, start, &reader)
      }
    }

    /// Calls `parseItem` at each member or element, from the opening bracket to the closing one.
    private mutating func eachItem(
      of container: String,
      until end: Unicode.Scalar,
      _ parseItem: (inout Reader) throws(ParseError) -> Void
    ) throws(ParseError) {
      depth += 1
      defer { depth -= 1 }
      guard depth <= options.maximumDepth else { throw error(.tooDeep) }
      next += 1
      skipSpace()
      if take(end) { return }
      while true {
        members += 1
        guard members <= options.maximumMembers else { throw error(.tooManyMembers) }
        try parseItem(&self)
        skipSpace()
        if take(end) { return }
        guard take(",") else { throw expected("a comma or the \(container)'s end") }
        skipSpace()
      }
    }

    /// A number by the grammar of RFC 8259 §6: no plus sign, no leading zero, digits on both sides of the point.
    private mutating func number() throws(ParseError) -> Number {
      let start = next
      _ = take("-")
      if !take("0") { try digits() }
      if take(".") { try digits() }
      if take("e") || take("E") {
        _ = take("+") || take("-")
        try digits()
      }
      return Number(checked: String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<next]), as: UTF8.self))
    }

    private mutating func digits() throws(ParseError) {
      guard byte?.isASCIIDigit == true else { throw expected("a digit") }
      while byte?.isASCIIDigit == true { next += 1 }
    }
  }
}

// Moving through the bytes.
extension JSONValue.Reader {
  var byte: UInt8? { next < bytes.count ? bytes[next] : nil }

  /// Skips the byte order mark that some editors write (RFC 8259 §8.1).
  mutating func skipByteOrderMark() { if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { next = 3 } }

  mutating func skipSpace() {
    while let byte, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { next += 1 }
  }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard byte == UInt8(ascii: scalar) else { return false }
    next += 1
    return true
  }

  private mutating func take(word: String) -> Bool {
    guard bytes[next...].starts(with: word.utf8) else { return false }
    next += word.utf8.count
    return true
  }

  private func error(_ reason: JSONValue.ParseError.Reason) -> JSONValue.ParseError {
    JSONValue.ParseError(reason, at: next)
  }

  private func expected(_ what: String) -> JSONValue.ParseError {
    error(next < bytes.count ? .expected(what) : .unexpectedEnd)
  }
}

// Strings and their escapes (RFC 8259 §7).
extension JSONValue.Reader {
  fileprivate mutating func string() throws(JSONValue.ParseError) -> JSONValue {
    next += 1
    if let text = asciiText() { return .string(text) }
    let start = next
    try skipUnescaped()
    if take("\"") { return Self.value(of: try text(from: start, to: next - 1)) }
    // As UTF-16, since an escape is one code unit.
    var units = Array(try text(from: start, to: next).utf16)
    while !take("\"") {
      next += 1
      units.append(try escape())
      let end = next
      try skipUnescaped()
      units += try text(from: end, to: next).utf16
    }
    return String(validating: units, as: UTF16.self).map(Self.value) ?? .invalidString(units)
  }

  /// A string that can't be compared in linear time is as invalid as one with a lone surrogate.
  private static func value(of string: String) -> JSONValue {
    string.isStreamSafe ? .string(string) : .invalidString(Array(string.utf16))
  }

  /// Parses a member's name, which must be a valid string.
  fileprivate mutating func name() throws(JSONValue.ParseError) -> String {
    let start = next
    let value = try string()
    if let name = value.string { return name }
    guard case .invalidString(let units) = value, let name = String(validating: units, as: UTF16.self) else {
      throw JSONValue.ParseError(.loneSurrogate, at: start)
    }
    guard options.isLenient else { throw JSONValue.ParseError(.longCombiningSequence, at: start) }
    return name
  }

  /// Takes the rest of a string that is ASCII without escapes, or returns `nil`.
  ///
  /// Almost all strings of a token cache are: this halves the time of parsing it (1,000 accounts: 6 ms instead of 13).
  private mutating func asciiText() -> String? {
    guard let end = offset(of: "\"", before: bytes.count), offset(of: "\\", before: end) == nil else { return nil }
    let text = UnsafeBufferPointer(rebasing: bytes[next..<end])
    // The compiler vectorizes a loop without an early end.
    let (least, greatest) = text.reduce((UInt8.max, UInt8.min)) { (min($0.0, $1), max($0.1, $1)) }
    guard least >= 0x20, greatest < 0x80 else { return nil }
    next = end + 1
    // `String(validating:as:)` isn't specialized, so it takes much longer.
    return String(decoding: text, as: UTF8.self)
  }

  private func offset(of character: Unicode.Scalar, before end: Int) -> Int? {
    guard let start = bytes.baseAddress,
      let found = memchr(start + next, Int32(character.value), end - next)
    else { return nil }
    return UnsafeRawPointer(found) - UnsafeRawPointer(start)
  }

  private func text(from start: Int, to end: Int) throws(JSONValue.ParseError) -> String {
    guard let text = String(validating: UnsafeBufferPointer(rebasing: bytes[start..<end]), as: UTF8.self) else {
      throw JSONValue.ParseError(.notUTF8, at: start)
    }
    return text
  }

  /// Moves to the next quotation mark or backslash.
  private mutating func skipUnescaped() throws(JSONValue.ParseError) {
    while let byte, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
      guard byte >= 0x20 else { throw error(.expected("an escape for a control character")) }
      next += 1
    }
    guard next < bytes.count else { throw error(.unexpectedEnd) }
  }

  /// Parses an escape after its backslash.
  private mutating func escape() throws(JSONValue.ParseError) -> UInt16 {
    guard let byte else { throw error(.unexpectedEnd) }
    next += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return UInt16(byte)
    case UInt8(ascii: "b"): return 0x08
    case UInt8(ascii: "f"): return 0x0C
    case UInt8(ascii: "n"): return 0x0A
    case UInt8(ascii: "r"): return 0x0D
    case UInt8(ascii: "t"): return 0x09
    case UInt8(ascii: "u"):
      var unit: UInt16 = 0
      for _ in 0..<4 {
        guard let digit = self.byte?.hexDigitValue else { throw expected("a hexadecimal digit") }
        unit = unit << 4 | UInt16(digit)
        next += 1
      }
      return unit
    default:
      next -= 1
      throw expected("an escape")
    }
  }
}
