// Objects that are checked but not decoded: of a token cache with thousands of entries a command needs a few.
extension JSON {
  /// A document whose objects are decoded in part.
  ///
  /// Where the members of those objects stand is noted while it is read, and not changed after.
  final class Source: @unchecked Sendable {
    let bytes: [UInt8]
    let options: Options
    /// The members of all undecoded objects; those of one object stand together, in their order.
    fileprivate(set) var members: [UndecodedMember] = []
    /// The members of each undecoded object.
    fileprivate(set) var objects: [Range<UInt32>] = []

    init(bytes: [UInt8], options: Options) {
      self.bytes = bytes
      self.options = options
      // As many as a token cache has, whose values are long.
      members.reserveCapacity(bytes.count / 128)
    }
  }

  /// Where a member of an undecoded object stands in the document.
  struct UndecodedMember: Sendable {
    /// After the quotation mark.
    let nameStart: UInt32
    private let nameLengthAndFlags: UInt32
    /// Where the value begins; of an object its number in ``Source/objects``.
    let value: UInt32

    private static let escaped: UInt32 = 1 << 31
    private static let object: UInt32 = 1 << 30
    /// The largest document whose places fit.
    static let maximumSize = Int(object)

    init(name: Range<Int>, isEscaped: Bool, value: UInt32, isObject: Bool) {
      nameStart = UInt32(name.lowerBound)
      nameLengthAndFlags = UInt32(name.count) | (isEscaped ? Self.escaped : 0) | (isObject ? Self.object : 0)
      self.value = value
    }

    /// Whether the name has escapes, so that it is not the bytes that stand there.
    var isEscaped: Bool { nameLengthAndFlags & Self.escaped != 0 }
    var isObject: Bool { nameLengthAndFlags & Self.object != 0 }
    var nameLength: Int { Int(nameLengthAndFlags & (Self.object - 1)) }
    var name: Range<Int> { Int(nameStart)..<(Int(nameStart) + nameLength) }

    /// Whether the name has that many bytes and no escapes.
    func isPlain(ofLength length: Int) -> Bool {
      nameLengthAndFlags & ~Self.object == UInt32(truncatingIfNeeded: length)
    }
  }

  /// The members of an object that is not decoded.
  struct UndecodedMembers: Sendable {
    fileprivate let source: Source
    /// The object's number in ``Source/objects``.
    fileprivate let object: UInt32

    private var range: Range<Int> {
      let range = source.objects[Int(object)]
      return Int(range.lowerBound)..<Int(range.upperBound)
    }

    /// The value of that name; of two the last.
    func value(of name: String) -> JSON? {
      source.search(name) { search, name in search.last(named: name, in: range) }
        .map { source.value(of: source.members[$0]) }
    }

    /// Whether the value of that name is that string.
    func isString(_ string: String, as name: String) -> Bool {
      source.search(name, string) { search, name, string in search.isString(string, as: name, in: range) }
    }

    /// All members, in their order.
    var all: [(String, JSON)] {
      range.map { (source.name(of: source.members[$0]), source.value(of: source.members[$0])) }
    }

    /// The members that a predicate accepts, in their order; of two of one name the last alone is a member.
    func members(where isIncluded: (JSON) -> Bool) -> [(key: String, value: JSON)] {
      withoutReplaced(range.filter { isIncluded(source.value(of: source.members[$0])) })
    }

    /// The members that are objects with that string under a name.
    func members(with string: String, as name: String) -> [(key: String, value: JSON)] {
      withoutReplaced(
        source.search(name, string) { search, name, string in
          range.filter { index in
            search.object(of: index).map { search.isString(string, as: name, in: $0) } ?? false
          }
        }
      )
    }

    /// The members that are objects in which that string may stand under one of the names, in any case of letters; it
    /// does not stand in any other.
    func members(mayHave string: String, asOneOf names: [String]) -> [(key: String, value: JSON)] {
      let found = names.map { name in
        source.search(name, string) { search, name, string in
          range.filter { index in
            search.object(of: index).map { search.mayBeString(string, as: name, in: $0) } ?? false
          }
        }
      }
      return withoutReplaced(Set(found.joined()).sorted())
    }

    /// The members of those indices that no later one of the same name replaces.
    private func withoutReplaced(_ found: [Int]) -> [(key: String, value: JSON)] {
      let range = range
      let places: [Name: Int]? =
        found.count <= 8 || source.isInOrder(range)
        ? nil : Dictionary(range.lazy.map { (Name(source.name(of: source.members[$0])), $0) }) { _, last in last }
      let areUnique = found.count > 8 && places == nil
      return found.compactMap { index in
        let name = source.name(of: source.members[index])
        guard areUnique || index == places.map({ $0[Name(name)] }) ?? source.last(named: name, in: range) else {
          return nil
        }
        return (name, source.value(of: source.members[index]))
      }
    }
  }
}

extension JSON.Source {
  func name(of member: JSON.UndecodedMember) -> String {
    guard member.isEscaped else { return String(decoding: bytes[member.name], as: UTF8.self) }
    return JSON.Reader.value(in: self, at: Int(member.nameStart) - 1).string ?? ""
  }

  fileprivate func value(of member: JSON.UndecodedMember) -> JSON {
    guard member.isObject else { return JSON.Reader.value(in: self, at: Int(member.value)) }
    return .object(JSON.Object(undecoded: JSON.UndecodedMembers(source: self, object: member.value)))
  }

  /// Whether each name comes after the one before in the order of bytes, so that none occurs twice.
  fileprivate func isInOrder(_ range: Range<Int>) -> Bool {
    bytes.withUnsafeBufferPointer { bytes in
      range.dropFirst().allSatisfy { index in
        let (previous, next) = (members[index - 1], members[index])
        return !previous.isEscaped && !next.isEscaped
          && bytes[previous.name].lexicographicallyPrecedes(bytes[next.name])
      }
    }
  }

  /// The index of the last member of that name in a range of ``members``.
  fileprivate func last(named name: String, in range: Range<Int>) -> Int? {
    search(name) { search, name in search.last(named: name, in: range) }
  }

  fileprivate func search<Result>(_ name: String, _ body: (JSON.Search, UnsafeBufferPointer<UInt8>) -> Result) -> Result
  {
    var name = name
    return bytes.withUnsafeBufferPointer { bytes in
      members.withUnsafeBufferPointer { members in
        name.withUTF8 { body(JSON.Search(source: self, bytes: bytes, members: members), $0) }
      }
    }
  }

  fileprivate func search<Result>(
    _ name: String,
    _ string: String,
    _ body: (JSON.Search, UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    var string = string
    return search(name) { search, name in string.withUTF8 { body(search, name, $0) } }
  }
}

extension JSON.Reader {
  /// An object whose members are checked alone.
  mutating func undecodedObject(_ source: JSON.Source) throws(JSON.ParseError) -> JSON.UndecodedMembers {
    let outer = pending.count
    try enter()
    defer { depth -= 1 }
    if !take("}") {
      while true {
        try countMember()
        let start = next
        guard byte == UInt8(ascii: "\"") else { throw expected("a member's name") }
        let spelling = try skipString()
        guard spelling != .unpaired else { throw JSON.ParseError(.loneSurrogate, at: start) }
        let name = (start + 1)..<(next - 1)
        skipSpace()
        guard take(":") else { throw expected("a colon") }
        skipSpace()
        let isObject = byte == UInt8(ascii: "{")
        let value = try isObject ? undecodedObject(source).object : skipValue()
        let isEscaped = spelling == .escaped
        pending.append(JSON.UndecodedMember(name: name, isEscaped: isEscaped, value: value, isObject: isObject))
        skipSpace()
        if take("}") { break }
        guard take(",") else { throw expected("a comma or the object's end") }
        skipSpace()
      }
    }
    // Those of the objects inside were added before.
    let first = UInt32(source.members.count)
    source.members += pending[outer...]
    pending.removeSubrange(outer...)
    source.objects.append(first..<UInt32(source.members.count))
    return JSON.UndecodedMembers(source: source, object: UInt32(source.objects.count - 1))
  }

  /// Goes past a value that is no object, checking what reading it checks.
  private mutating func skipValue() throws(JSON.ParseError) -> UInt32 {
    let start = UInt32(next)
    if byte == UInt8(ascii: "\"") { _ = try skipString() } else { _ = try value() }
    return start
  }
}
