extension JSON {
  /// Parses a document (RFC 8259), each byte once.
  struct Reader {
    let bytes: UnsafeBufferPointer<UInt8>
    let options: Options
    var next = 0
    var depth = 0
    var members = 0

    static func read(_ bytes: [UInt8], _ options: Options) throws(ParseError) -> JSON {
      try bytes.withUnsafeBufferPointer { buffer throws(ParseError) in
        var reader = Reader(bytes: buffer, options: options)
        return try reader.document()
      }
    }

    private mutating func document() throws(ParseError) -> JSON {
      guard bytes.count <= options.limits.maximumSize else { throw error(.tooLarge) }
      if options.isLenient, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { next = 3 }
      skipSpace()
      let value = try value()
      skipSpace()
      guard next == bytes.count else { throw error(.expected("the end")) }
      return value
    }

    func error(_ reason: ParseError.Reason) -> ParseError { ParseError(reason, at: next) }

    func expected(_ what: String) -> ParseError {
      error(next < bytes.count ? .expected(what) : .unexpectedEnd)
    }

    var byte: UInt8? { next < bytes.count ? bytes[next] : nil }

    mutating func skipSpace() {
      while next < bytes.count {
        switch bytes[next] {
        case 0x20, 0x0A, 0x0D, 0x09: next += 1
        default: return
        }
      }
    }

    mutating func take(_ scalar: Unicode.Scalar) -> Bool {
      guard byte == UInt8(ascii: scalar) else { return false }
      next += 1
      return true
    }

    mutating func value() throws(ParseError) -> JSON {
      switch byte {
      case UInt8(ascii: "{"):
        var members: [Object.Element] = []
        var starts: [Int] = []
        try eachMember { name, start, reader throws(ParseError) in
          members.append((name, try reader.value()))
          starts.append(start)
        }
        if !options.isLenient, let repeated = members.repetitions.map(\.later).min() {
          throw ParseError(.duplicateName(members[repeated].key), at: starts[repeated])
        }
        return .object(Object(members: members))
      case UInt8(ascii: "["): return try array()
      case UInt8(ascii: "\""): return try string()
      case UInt8(ascii: "t"): return try literal("true", .bool(true))
      case UInt8(ascii: "f"): return try literal("false", .bool(false))
      case UInt8(ascii: "n"): return try literal("null", .null)
      case .some(UInt8(ascii: "-")), .some(UInt8(ascii: "0")...UInt8(ascii: "9")):
        if options.isLenient, next + 1 < bytes.count, bytes[next + 1] == UInt8(ascii: "I") {
          return try nonFinite("-Infinity")
        }
        return .number(try number())
      case UInt8(ascii: "N") where options.isLenient: return try nonFinite("NaN")
      case UInt8(ascii: "I") where options.isLenient: return try nonFinite("Infinity")
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

    /// Calls `parseValue` at the value of each member, with the member's name and its position.
    mutating func eachMember(
      _ parseValue: (_ name: String, _ start: Int, _ reader: inout Reader) throws(ParseError) -> Void
    ) throws(ParseError) {
      try enter()
      defer { depth -= 1 }
      if take("}") { return }
      while true {
        try countMember()
        let start = next
        guard byte == UInt8(ascii: "\"") else { throw expected("a member's name") }
        guard case .string(let name) = try string() else { throw ParseError(.loneSurrogate, at: start) }
        skipSpace()
        guard take(":") else { throw expected("a colon") }
        skipSpace()
        try parseValue(name, start, &self)
        skipSpace()
        if take("}") { return }
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
