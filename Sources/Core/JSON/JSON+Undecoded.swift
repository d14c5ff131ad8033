// Objects that are checked but not decoded: of a token cache with thousands of entries a command needs a few.
extension JSON {
  /// A document whose objects are decoded in part.
  final class Source: Sendable {
    let bytes: [UInt8]
    let options: Options

    init(bytes: [UInt8], options: Options) {
      self.bytes = bytes
      self.options = options
    }
  }

  /// Where the members of an object stand in the document.
  final class UndecodedMembers: Sendable {
    /// A member; its name is what stands between the quotation marks.
    struct Member: Sendable {
      let nameStart: UInt32
      let nameLength: UInt32
      let hasEscapes: Bool
      let valueStart: UInt32
    }

    private let source: Source
    private let members: [Member]

    init(source: Source, members: [Member]) {
      self.source = source
      self.members = members
    }

    /// The value of that name; of two the last.
    func value(of name: String) -> JSON? {
      member(name).map { Reader.value(in: source, at: Int($0.valueStart)) }
    }

    /// All members, in their order.
    var all: [(String, JSON)] {
      members.map { (name(of: $0), Reader.value(in: source, at: Int($0.valueStart))) }
    }

    private func member(_ name: String) -> Member? {
      var name = name
      return source.bytes.withUnsafeBufferPointer { bytes in
        name.withUTF8 { wanted in
          members.last { member in
            // A name is compared as it is meant, not as it is spelled.
            guard !member.hasEscapes else {
              var meant = self.name(of: member)
              return meant.withUTF8 { $0.isIdentical(to: wanted) }
            }
            guard Int(member.nameLength) == wanted.count else { return false }
            let start = Int(member.nameStart)
            return UnsafeBufferPointer(rebasing: bytes[start..<(start + wanted.count)]).isIdentical(to: wanted)
          }
        }
      }
    }

    private func name(of member: Member) -> String {
      let start = Int(member.nameStart)
      guard !member.hasEscapes else { return Reader.value(in: source, at: start - 1).string ?? "" }
      return String(decoding: source.bytes[start..<(start + Int(member.nameLength))], as: UTF8.self)
    }
  }
}

extension JSON.Reader {
  /// An object whose members are checked alone.
  mutating func undecodedObject(_ source: JSON.Source) throws(JSON.ParseError) -> JSON {
    var found: [JSON.UndecodedMembers.Member] = []
    try enter()
    defer { depth -= 1 }
    if !take("}") {
      found.reserveCapacity(10)
      while true {
        try countMember()
        guard byte == UInt8(ascii: "\"") else { throw expected("a member's name") }
        let name = next + 1
        let spelling = try skipString()
        guard spelling != .unpaired else { throw JSON.ParseError(.loneSurrogate, at: name - 1) }
        let length = next - 1 - name
        skipSpace()
        guard take(":") else { throw expected("a colon") }
        skipSpace()
        found.append(
          JSON.UndecodedMembers.Member(
            nameStart: UInt32(name),
            nameLength: UInt32(length),
            hasEscapes: spelling == .escaped,
            valueStart: UInt32(next)
          )
        )
        try skipValue(source)
        skipSpace()
        if take("}") { break }
        guard take(",") else { throw expected("a comma or the object's end") }
        skipSpace()
      }
    }
    return .object(JSON.Object(undecoded: JSON.UndecodedMembers(source: source, members: found)))
  }

  /// Goes past a value, checking what reading it checks.
  private mutating func skipValue(_ source: JSON.Source) throws(JSON.ParseError) {
    if byte == UInt8(ascii: "\"") { _ = try skipString() } else { _ = try value() }
  }
}
