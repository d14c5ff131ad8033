extension JSON {
  /// Reads a document of RFC 8259, each byte once.
  struct Reader {
    let bytes: UnsafeBufferPointer<UInt8>
    let options: Options
    /// What objects below ``Options/decodedDepth`` keep; nil when there are none.
    let source: Source?
    var next = 0
    var depth = 0
    var members = 0
    /// The members that were read so far of the undecoded objects that are being read.
    var pending: [UndecodedMember] = []

    static func read(_ bytes: [UInt8], _ options: Options) throws(ParseError) -> JSON {
      // To refuse a name that occurs twice, or a long combining sequence, takes decoding.
      let isLazy =
        options.decodedDepth < options.limits.maximumDepth && options.duplicateNames == .lastWins
        && options.allowsLongCombiningSequences && bytes.count < UndecodedMember.maximumSize
      return try bytes.withUnsafeBufferPointer { buffer throws(ParseError) in
        let source = isLazy ? Source(bytes: bytes, options: options) : nil
        var reader = Reader(bytes: buffer, options: options, source: source)
        return try reader.document()
      }
    }

    /// Reads a value of a document that was checked before, with everything in it.
    static func value(in source: Source, at start: Int) -> JSON {
      source.bytes.withUnsafeBufferPointer { buffer in
        var reader = Reader(bytes: buffer, options: source.options, source: nil)
        reader.next = start
        return (try? reader.value()) ?? .null
      }
    }

    init(bytes: UnsafeBufferPointer<UInt8>, options: Options, source: Source?) {
      self.bytes = bytes
      self.options = options
      self.source = source
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

    func error(_ reason: ParseError.Reason) -> ParseError { ParseError(reason, at: next) }

    func expected(_ what: String) -> ParseError {
      error(next < bytes.count ? .expected(what) : .unexpectedEnd)
    }

    var byte: UInt8? { next < bytes.count ? bytes[next] : nil }

    mutating func skipSpace() {
      while next < bytes.count {
        // An indented document has as much white space as names.
        if next + 8 <= bytes.count, word(at: next) == 0x2020_2020_2020_2020 as UInt64 {
          next += 8
          continue
        }
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
        if let source, depth >= options.decodedDepth { return .object(Object(undecoded: try undecodedObject(source))) }
        return try object()
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

    mutating func enter() throws(ParseError) {
      depth += 1
      guard depth <= options.limits.maximumDepth else { throw error(.tooDeep) }
      next += 1
      skipSpace()
    }

    mutating func countMember() throws(ParseError) {
      members += 1
      guard members <= options.limits.maximumMembers else { throw error(.tooManyMembers) }
    }

    mutating func object() throws(ParseError) -> JSON {
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
