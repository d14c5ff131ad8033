extension JSON {
  /// A name, compared and hashed as UTF-8 bytes.
  ///
  /// `String` normalizes before it hashes: that merges names which only look alike, and takes quadratic time for a
  /// name made of combining marks.
  struct Name: Sendable, Hashable {
    let name: String

    init(_ name: String) {
      self.name = name
    }

    static func == (left: Name, right: Name) -> Bool { left.name.isIdentical(to: right.name) }

    func hash(into hasher: inout Hasher) {
      var name = name
      name.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
      // As String does: no hash of one name begins with that of another.
      hasher.combine(0xFF as UInt8)
    }
  }

  /// The members of a JSON object, in no order; names are compared as UTF-8 bytes.
  public struct Object: Sendable, Hashable {
    fileprivate var members: [Name: JSON]

    /// Makes an object without members.
    public init() {
      self.members = [:]
    }

    /// Makes an object; of two members of one name the last counts.
    ///
    /// - Parameter members: Names and values.
    public init(_ members: some Sequence<(String, JSON)>) {
      self.members = Dictionary(members.lazy.map { (Name($0), $1) }) { _, last in last }
    }

    /// The member of that name; assigning nil removes it.
    public subscript(_ name: String) -> JSON? {
      get { members[Name(name)] }
      set { members[Name(name)] = newValue }
      _modify { yield &members[Name(name)] }
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
    public var sorted: [(key: String, value: JSON)] {
      map { $0 }.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }

    /// Removes a member.
    ///
    /// - Parameter name: The member's name.
    /// - Returns: The value it had; nil if there was no such member.
    @discardableResult
    public mutating func removeValue(forKey name: String) -> JSON? { members.removeValue(forKey: Name(name)) }

    /// These members with those of another object, which replace members of the same name.
    ///
    /// - Parameter other: The other object.
    /// - Returns: A new object.
    public func merging(_ other: Object) -> Object {
      var merged = self
      merged.members.merge(other.members) { _, new in new }
      return merged
    }

    /// The members that a predicate accepts.
    ///
    /// - Parameter isIncluded: Whether to keep a member.
    /// - Returns: A new object.
    public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> Object {
      var kept = Object()
      kept.members = try members.filter { try isIncluded(($0.key.name, $0.value)) }
      return kept
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
    ///
    /// - Returns: Whether it was added.
    mutating func insert(_ value: JSON, as name: String) -> Bool {
      let count = members.count
      let key = Name(name)
      let previous = members.updateValue(value, forKey: key)
      if let previous { members[key] = previous }
      return members.count > count
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
