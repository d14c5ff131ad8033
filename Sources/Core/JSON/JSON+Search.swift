extension JSON {
  /// Compares names and strings with what stands in a document, without decoding it.
  struct Search {
    let source: Source
    let bytes: UnsafeBufferPointer<UInt8>
    let members: UnsafeBufferPointer<UndecodedMember>

    /// The members of the object that a member is; nil when it is another value.
    func object(of index: Int) -> Range<Int>? {
      let member = members[index]
      guard member.isObject else { return nil }
      let range = source.objects[Int(member.value)]
      return Int(range.lowerBound)..<Int(range.upperBound)
    }

    /// The index of the last member of that name in a range of members.
    func last(named wanted: UnsafeBufferPointer<UInt8>, in range: Range<Int>) -> Int? {
      range.last { index in
        let member = members[index]
        if member.isEscaped { return source.name(of: member).utf8.elementsEqual(wanted) }
        guard member.isPlain(ofLength: wanted.count) else { return false }
        let start = Int(member.nameStart)
        // Names that are not the same differ at once as a rule.
        return wanted.indices.allSatisfy { bytes[start + $0] == wanted[$0] }
      }
    }

    /// Whether the last member of that name is that string.
    func isString(
      _ wanted: UnsafeBufferPointer<UInt8>,
      as name: UnsafeBufferPointer<UInt8>,
      in range: Range<Int>
    ) -> Bool {
      guard let start = string(named: name, in: range) else { return false }
      var next = start + 1
      for byte in wanted {
        let found = bytes[next]
        if found == UInt8(ascii: "\\") {
          return Reader.value(in: source, at: start).string?.utf8.elementsEqual(wanted) == true
        }
        // A quotation mark ends it.
        guard found == byte, found != UInt8(ascii: "\"") else { return false }
        next += 1
      }
      return bytes[next] == UInt8(ascii: "\"")
    }

    /// Whether the last member of that name is a string that may be the wanted one in some case of letters.
    func mayBeString(
      _ wanted: UnsafeBufferPointer<UInt8>,
      as name: UnsafeBufferPointer<UInt8>,
      in range: Range<Int>
    ) -> Bool {
      guard let start = string(named: name, in: range) else { return false }
      var next = start + 1
      for byte in wanted {
        let found = bytes[next]
        // Some letters beyond ASCII are equivalent to one of ASCII, or have one as their small letter.
        if found == UInt8(ascii: "\\") || found >= 0x80 || byte >= 0x80 { return true }
        guard found.asciiLowercased == byte.asciiLowercased, found != UInt8(ascii: "\"") else { return false }
        next += 1
      }
      return bytes[next] == UInt8(ascii: "\"") || bytes[next] == UInt8(ascii: "\\") || bytes[next] >= 0x80
    }

    /// Where the string begins that the last member of that name is; nil when there is none, or it is another value.
    private func string(named name: UnsafeBufferPointer<UInt8>, in range: Range<Int>) -> Int? {
      guard let index = last(named: name, in: range), !members[index].isObject else { return nil }
      let start = Int(members[index].value)
      return bytes[start] == UInt8(ascii: "\"") ? start : nil
    }
  }
}
