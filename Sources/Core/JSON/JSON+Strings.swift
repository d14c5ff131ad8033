// Strings and their escapes (RFC 8259 §7).
extension JSON.Reader {
  /// A string; one without escapes is copied as it stands.
  mutating func string() throws(JSON.ParseError) -> JSON {
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

  /// How a string is written.
  enum Spelling {
    /// As it is meant.
    case plain
    /// With escapes.
    case escaped
    /// With an escape that is half a character.
    case unpaired
  }

  /// Goes past a string, checking what reading it checks.
  mutating func skipString() throws(JSON.ParseError) -> Spelling {
    let opening = next
    next += 1
    let isASCII = try skipUnescaped()
    let isPlain = byte == UInt8(ascii: "\"")
    if isASCII, isPlain {
      next += 1
      return .plain
    }
    next = opening
    guard case .string = try string() else { return .unpaired }
    return isPlain ? .plain : .escaped
  }

  /// Goes to the next quotation mark or backslash.
  @discardableResult
  mutating func skipUnescaped() throws(JSON.ParseError) -> Bool {
    var seen: UInt64 = 0
    let short = next + Self.shortString
    while next + 8 <= bytes.count {
      let word = UInt64(littleEndian: word(at: next))
      // Eight bytes at a time, by the arithmetic that finds small bytes in a word: with its second bit turned over, a
      // quotation mark is the one that follows the control characters. The lowest byte that is found is one of them;
      // those above it may be found by what was borrowed for it.
      let below = (word ^ (Self.ones &* 0x02)) &- (Self.ones &* 0x21)
      let zero = (word ^ Self.backslashes) &- Self.ones
      let found = (below | zero) & ~word & Self.highs
      if found != 0 {
        let count = found.trailingZeroBitCount / 8
        seen |= word & (1 << UInt64(8 * count) - 1)
        next += count
        break
      }
      seen |= word
      next += 8
      if next == short { skipBlocks(&seen) }
    }
    while next < bytes.count {
      let byte = bytes[next]
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return seen & Self.highs == 0 }
      guard byte >= 0x20 else { throw error(.expected("an escape for a control character")) }
      seen |= UInt64(byte)
      next += 1
    }
    throw error(.unexpectedEnd)
  }

  /// Goes past blocks without a quotation mark, a backslash or a control character: most bytes of a token cache stand in
  /// long strings.
  private mutating func skipBlocks(_ seen: inout UInt64) {
    typealias Words = SIMD2<UInt64>
    let (second, limits) = (Words(repeating: Self.ones &* 0x02), Words(repeating: Self.ones &* 0x21))
    let (backslashes, ones) = (Words(repeating: Self.backslashes), Words(repeating: Self.ones))
    let highs = Words(repeating: Self.highs)
    var all = Words()
    while next + 64 <= bytes.count {
      var (found, block) = (Words(), Words())
      for offset in stride(from: 0, to: 64, by: 16) {
        let words: Words = word(at: next + offset)
        let below = (words ^ second) &- limits
        let zero = (words ^ backslashes) &- ones
        found |= (below | zero) & (words ^ highs)
        block |= words
      }
      found &= highs
      guard found[0] | found[1] == 0 else { break }
      all |= block
      next += 64
    }
    seen |= all[0] | all[1]
  }

  /// As many bytes as the type has, which must be there.
  func word<Word: BitwiseCopyable>(at start: Int) -> Word {
    UnsafeRawPointer(bytes.baseAddress.unsafelyUnwrapped + start).loadUnaligned(as: Word.self)
  }

  /// Names and most values are no longer; what is, may be a token.
  private static var shortString: Int { 32 }
  private static var ones: UInt64 { 0x0101_0101_0101_0101 }
  private static var highs: UInt64 { 0x8080_8080_8080_8080 }
  private static var backslashes: UInt64 { ones &* UInt64(UInt8(ascii: "\\")) }

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
