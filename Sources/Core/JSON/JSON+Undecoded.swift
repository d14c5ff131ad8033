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
    /// A member whose name has no escapes.
    struct Member: Sendable {
      let nameStart: UInt32
      let nameLength: UInt32
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
            guard Int(member.nameLength) == wanted.count else { return false }
            let start = Int(member.nameStart)
            return UnsafeBufferPointer(rebasing: bytes[start..<(start + wanted.count)]).isIdentical(to: wanted)
          }
        }
      }
    }

    private func name(of member: Member) -> String {
      let start = Int(member.nameStart)
      return String(decoding: source.bytes[start..<(start + Int(member.nameLength))], as: UTF8.self)
    }
  }
}

extension JSON.Reader {
  /// An object whose members are checked alone.
  mutating func undecodedObject(_ source: JSON.Source) throws(JSON.ParseError) -> JSON {
    let (start, membersBefore) = (next, members)
    var found: [JSON.UndecodedMembers.Member] = []
    try enter()
    defer { depth -= 1 }
    if !take("}") {
      found.reserveCapacity(10)
      while true {
        try countMember()
        guard byte == UInt8(ascii: "\"") else { throw expected("a member's name") }
        let name = next + 1
        guard try skipString() else {
          // A name is compared as it is meant, not as it is spelled.
          (next, members) = (start, membersBefore)
          depth -= 1
          defer { depth += 1 }
          return try object()
        }
        let length = next - 1 - name
        skipSpace()
        guard take(":") else { throw expected("a colon") }
        skipSpace()
        found.append(
          JSON.UndecodedMembers.Member(
            nameStart: UInt32(name),
            nameLength: UInt32(length),
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
