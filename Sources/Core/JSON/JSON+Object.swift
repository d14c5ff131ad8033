extension JSON {
  /// A name, compared and hashed as UTF-8 bytes.
  ///
  /// `String` normalizes before it hashes: that merges names which only look alike, and takes quadratic time for a
  /// name made of combining marks.
  package struct Name: Sendable, Hashable {
    package let name: String

    package init(_ name: String) {
      self.name = name
    }

    package static func == (left: Name, right: Name) -> Bool { left.name.isIdentical(to: right.name) }

    package func hash(into hasher: inout Hasher) {
      var name = name
      name.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
      // As String does: no hash of one name begins with that of another.
      hasher.combine(0xFF as UInt8)
    }
  }

  /// The members of a JSON object, in no order; names are compared as UTF-8 bytes.
  public struct Object: Sendable, Hashable {
    private var decoded: [Name: JSON]
    /// What stands for all members until one of them is changed.
    private var undecoded: UndecodedMembers?

    /// Makes an object without members.
    public init() {
      self.init(decoded: [:])
    }

    fileprivate init(decoded: [Name: JSON]) {
      self.decoded = decoded
    }

    /// Makes an object of members that are decoded when they are asked for.
    init(undecoded: UndecodedMembers) {
      self.decoded = [:]
      self.undecoded = undecoded
    }

    fileprivate var members: [Name: JSON] {
      guard let undecoded else { return decoded }
      return Dictionary(undecoded.all.lazy.map { (Name($0), $1) }) { _, last in last }
    }

    private mutating func decode() {
      guard undecoded != nil else { return }
      decoded = members
      undecoded = nil
    }

    /// Compares the members.
    public static func == (left: Object, right: Object) -> Bool { left.members == right.members }

    /// Hashes the members.
    public func hash(into hasher: inout Hasher) { hasher.combine(members) }

    /// Makes an object; of two members of one name the last counts.
    ///
    /// - Parameter members: Names and values.
    public init(_ members: some Sequence<(String, JSON)>) {
      self.init(decoded: Dictionary(members.lazy.map { (Name($0), $1) }) { _, last in last })
    }

    /// The member of that name; assigning nil removes it.
    public subscript(_ name: String) -> JSON? {
      get {
        if let undecoded { return undecoded.value(of: name) }
        return decoded[Name(name)]
      }
      set {
        decode()
        decoded[Name(name)] = newValue
      }
      _modify {
        decode()
        yield &decoded[Name(name)]
      }
    }

    /// The number of members.
    public var count: Int { members.count }

    /// Whether there are no members.
    public var isEmpty: Bool { members.isEmpty }

    /// The names, in no order.
    public var keys: [String] { members.keys.map(\.name) }

    /// The values, in no order.
    public var values: [JSON] { Array(members.values) }

    /// The members in the order of their names' bytes, which is the order of their code points.
    public var sorted: [(key: String, value: JSON)] { sorted { _ in true } }

    /// The members whose values a predicate accepts, in the order of their names' bytes.
    package func sorted(where isIncluded: (JSON) -> Bool) -> [(key: String, value: JSON)] {
      let found = undecoded?.members(where: isIncluded) ?? filter { isIncluded($0.value) }.map { $0 }
      return Self.inOrder(found)
    }

    /// The members that are objects with a certain string under a name, in the order of their names' bytes.
    package func sorted(where name: String, is string: String) -> [(key: String, value: JSON)] {
      Self.inOrder(
        undecoded?.members(with: string, as: name)
          ?? filter { $0.value[name]?.string?.isIdentical(to: string) == true }.map { $0 }
      )
    }

    /// The members that are objects in which a certain string may stand under one of several names, in any case of
    /// letters, in the order of their names' bytes.
    package func sorted(where names: [String], mayBe string: String) -> [(key: String, value: JSON)] {
      Self.inOrder(undecoded?.members(mayHave: string, asOneOf: names) ?? map { $0 })
    }

    /// Whether the value of that name is a certain string.
    package func has(_ name: String, _ string: String) -> Bool {
      undecoded?.isString(string, as: name) ?? (decoded[Name(name)]?.string?.isIdentical(to: string) == true)
    }

    private static func inOrder(_ members: [(key: String, value: JSON)]) -> [(key: String, value: JSON)] {
      members.count < 2 ? members : members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }

    /// Removes a member.
    ///
    /// - Parameter name: The member's name.
    /// - Returns: The value it had; nil if there was no such member.
    @discardableResult
    public mutating func removeValue(forKey name: String) -> JSON? {
      decode()
      return decoded.removeValue(forKey: Name(name))
    }

    /// These members with those of another object, which replace members of the same name.
    ///
    /// - Parameter other: The other object.
    /// - Returns: A new object.
    public func merging(_ other: Object) -> Object {
      Object(decoded: members.merging(other.members) { _, new in new })
    }

    /// The members that a predicate accepts.
    ///
    /// - Parameter isIncluded: Whether to keep a member.
    /// - Returns: A new object.
    public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> Object {
      Object(decoded: try members.filter { try isIncluded(($0.key.name, $0.value)) })
    }

    /// A dictionary with the same names and transformed values.
    ///
    /// - Parameter transform: Makes the new value.
    /// - Returns: The dictionary; of names that are canonically equivalent it has one.
    public func mapValues<Value>(_ transform: (JSON) throws -> Value) rethrows -> [String: Value] {
      var mapped: [String: Value] = [:]
      for (key, value) in members { mapped[key.name] = try transform(value) }
      return mapped
    }

    /// Adds a member unless there is one of that name.
    mutating func insert(_ value: JSON, as name: String) -> Bool {
      decode()
      let count = decoded.count
      let key = Name(name)
      let previous = decoded.updateValue(value, forKey: key)
      if let previous { decoded[key] = previous }
      return decoded.count > count
    }
  }
}

extension JSON.Object: Sequence {
  /// A name and its value.
  public typealias Element = (key: String, value: JSON)

  /// Goes through the members, in no order.
  public struct Iterator: IteratorProtocol {
    fileprivate var base: Dictionary<JSON.Name, JSON>.Iterator

    /// The next member; nil after the last.
    public mutating func next() -> Element? { base.next().map { ($0.key.name, $0.value) } }
  }

  /// An iterator over the members.
  public func makeIterator() -> Iterator { Iterator(base: members.makeIterator()) }
}

extension JSON.Object: ExpressibleByDictionaryLiteral {
  /// Makes an object; of two members of one name the last counts.
  public init(dictionaryLiteral elements: (String, JSON)...) { self.init(elements) }
}
