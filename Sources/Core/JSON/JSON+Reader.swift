extension JSON {
  /// Reads a document of RFC 8259, each byte once.
  struct Reader {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let options: Options
    private var next = 0
    private var depth = 0
    private var members = 0

    static func read(_ bytes: [UInt8], _ options: Options) throws(ParseError) -> JSON {
      try bytes.withUnsafeBufferPointer { buffer throws(ParseError) in
        var reader = Reader(bytes: buffer, options: options)
        return try reader.document()
      }
    }

    private init(bytes: UnsafeBufferPointer<UInt8>, options: Options) {
      self.bytes = bytes
      self.options = options
    }

    private mutating func document() throws(ParseError) -> JSON {
      guard bytes.count <= options.limits.maximumSize else { throw error(.tooLarge) }
      if options.allowsByteOrderMark, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { next = 3 }
      skipSpace()
      let value = try value()
      skipSpace()
      guard next == bytes.count else { throw error(.expected("the end")) }
      return value
    }

    private func error(_ reason: ParseError.Reason) -> ParseError { ParseError(reason, at: next) }

    private func expected(_ what: String) -> ParseError {
      error(next < bytes.count ? .expected(what) : .unexpectedEnd)
    }

    private var byte: UInt8? { next < bytes.count ? bytes[next] : nil }

    private mutating func skipSpace() {
      while next < bytes.count {
        switch bytes[next] {
        case 0x20, 0x0A, 0x0D, 0x09: next += 1
        default: return
        }
      }
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
      guard byte == UInt8(ascii: scalar) else { return false }
      next += 1
      return true
    }

    private mutating func value() throws(ParseError) -> JSON {
      switch byte {
      case UInt8(ascii: "{"): return try object()
      case UInt8(ascii: "["): return try array()
      case UInt8(ascii: "\""): return try string()
      case UInt8(ascii: "t"): return try literal("true", .bool(true))
      case UInt8(ascii: "f"): return try literal("false", .bool(false))
      case UInt8(ascii: "n"): return try literal("null", .null)
      case .some(UInt8(ascii: "-")), .some(UInt8(ascii: "0")...UInt8(ascii: "9")):
        if options.allowsNonFiniteNumbers, next + 1 < bytes.count, bytes[next + 1] == UInt8(ascii: "I") {
          return try nonFinite("-Infinity")
        }
        return .number(try number())
      case UInt8(ascii: "N") where options.allowsNonFiniteNumbers: return try nonFinite("NaN")
      case UInt8(ascii: "I") where options.allowsNonFiniteNumbers: return try nonFinite("Infinity")
      default: throw expected("a value")
      }
    }

    private mutating func nonFinite(_ word: StaticString) throws(ParseError) -> JSON {
      try literal(word, .number(Number(checked: word.description)))
    }

    private mutating func literal(_ word: StaticString, _ value: JSON) throws(ParseError) -> JSON {
      let end = next + word.utf8CodeUnitCount
      guard end <= bytes.count, word.withUTF8Buffer({ bytes[next..<end].elementsEqual($0) }) else {
        throw expected("a value")
      }
      next = end
      return value
    }

    private mutating func enter() throws(ParseError) {
      depth += 1
      guard depth <= options.limits.maximumDepth else { throw error(.tooDeep) }
      next += 1
      skipSpace()
    }

    private mutating func countMember() throws(ParseError) {
      members += 1
      guard members <= options.limits.maximumMembers else { throw error(.tooManyMembers) }
    }

    private mutating func object() throws(ParseError) -> JSON {
      var object = Object()
      try enter()
      defer { depth -= 1 }
      if take("}") { return .object(object) }
      while true {
        try countMember()
        let start = next
        guard byte == UInt8(ascii: "\"") else { throw expected("a member's name") }
        guard case .string(let name) = try string() else { throw ParseError(.loneSurrogate, at: start) }
        skipSpace()
        guard take(":") else { throw expected("a colon") }
        skipSpace()
        let value = try value()
        switch options.duplicateNames {
        case .refused:
          guard object.insert(value, as: name) else { throw ParseError(.duplicateName(name), at: start) }
        case .lastWins: object[name] = value
        }
        skipSpace()
        if take("}") { return .object(object) }
        guard take(",") else { throw expected("a comma or the object's end") }
        skipSpace()
      }
    }

    private mutating func array() throws(ParseError) -> JSON {
      var elements: [JSON] = []
      try enter()
      defer { depth -= 1 }
      if take("]") { return .array(elements) }
      while true {
        try countMember()
        elements.append(try value())
        skipSpace()
        if take("]") { return .array(elements) }
        guard take(",") else { throw expected("a comma or the array's end") }
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
      let start = next
      while next < bytes.count, bytes[next].isASCIIDigit { next += 1 }
      guard next > start else { throw expected("a digit") }
    }
  }
}

extension JSON.Reader {
  /// A string (RFC 8259 §7); one without escapes is copied as it stands.
  private mutating func string() throws(JSON.ParseError) -> JSON {
    let opening = next
    next += 1
    try skipUnescaped()
    if byte == UInt8(ascii: "\"") {
      defer { next += 1 }
      return .string(try checked(try text(opening + 1, next), at: opening))
    }
    next = opening + 1
    return try escapedString()
  }

  /// A string with escapes, whose bytes are collected and decoded once.
  private mutating func escapedString() throws(JSON.ParseError) -> JSON {
    let first = next
    var collected: [UInt8] = []
    while true {
      let start = next
      try skipUnescaped()
      collected += bytes[start..<next]
      if take("\"") { break }
      next += 1
      let unit = try escape()
      if let scalar = Unicode.Scalar(unit) {
        collected += UTF8.encode(scalar).map { Array($0) } ?? []
      } else if UTF16.isLeadSurrogate(unit), let trail = try trailSurrogate() {
        let code = 0x10000 + (UInt32(unit & 0x3FF) << 10 | UInt32(trail & 0x3FF))
        collected += Unicode.Scalar(code).flatMap { UTF8.encode($0) }.map { Array($0) } ?? []
      } else {
        guard options.allowsLoneSurrogates else { throw JSON.ParseError(.loneSurrogate, at: first) }
        next = first
        return .invalidString(try codeUnits())
      }
    }
    guard let string = String(validating: collected, as: UTF8.self) else {
      throw JSON.ParseError(.notUTF8, at: first)
    }
    return .string(try checked(string, at: first))
  }

  private func checked(_ string: String, at start: Int) throws(JSON.ParseError) -> String {
    guard options.allowsLongCombiningSequences || string.isStreamSafe else {
      throw JSON.ParseError(.longCombiningSequence, at: start)
    }
    return string
  }

  /// A string as UTF-16, for one that has a lone surrogate.
  private mutating func codeUnits() throws(JSON.ParseError) -> [UInt16] {
    var units: [UInt16] = []
    while true {
      let start = next
      try skipUnescaped()
      units += try text(start, next).utf16
      if take("\"") { return units }
      next += 1
      units.append(try escape())
    }
  }

  /// Goes to the next quotation mark or backslash.
  private mutating func skipUnescaped() throws(JSON.ParseError) {
    while next < bytes.count {
      let byte = bytes[next]
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return }
      guard byte >= 0x20 else { throw error(.expected("an escape for a control character")) }
      next += 1
    }
    throw error(.unexpectedEnd)
  }

  private func text(_ start: Int, _ end: Int) throws(JSON.ParseError) -> String {
    guard let text = String(validating: UnsafeBufferPointer(rebasing: bytes[start..<end]), as: UTF8.self) else {
      throw JSON.ParseError(.notUTF8, at: start)
    }
    return text
  }

  /// The code unit of an escape, after its backslash.
  private mutating func escape() throws(JSON.ParseError) -> UInt16 {
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

  /// The second half of a surrogate pair, if its escape follows; else nothing is consumed.
  private mutating func trailSurrogate() throws(JSON.ParseError) -> UInt16? {
    let start = next
    if take("\\"), byte == UInt8(ascii: "u") {
      let unit = try escape()
      if UTF16.isTrailSurrogate(unit) { return unit }
    }
    next = start
    return nil
  }
}
