extension JSONValue {
  /// The members of a JSON object in the order read; names are compared as UTF-8 bytes.
  ///
  /// Two objects are equal if they have the same members, in any order.
  public struct Object: Sendable {
    private(set) var members: [Element]

    /// Creates an object without members.
    public init() { members = [] }

    /// Creates an object; if a name is repeated, its last value applies.
    public init(_ members: some Sequence<(String, JSONValue)>) {
      self.init(members: members.map { (key: $0, value: $1) })
    }

    /// Keeps the last of several members with one name.
    init(members: [Element]) {
      self.members = members
      let replaced = Set(members.repetitions.map(\.earlier))
      if !replaced.isEmpty { self.members = members.indices.filter { !replaced.contains($0) }.map { members[$0] } }
    }

    /// The value of a member; assigning `nil` removes it.
    public subscript(_ name: String) -> JSONValue? {
      get { index(of: name).map { members[$0].value } }
      set {
        switch (index(of: name), newValue) {
        case (let index?, let value?): members[index].value = value
        case (let index?, nil): members.remove(at: index)
        case (nil, let value?): members.append((name, value))
        case (nil, nil): break
        }
      }
    }

    private func index(of name: String) -> Int? { members.firstIndex { $0.key.isIdentical(to: name) } }

    /// The number of members.
    public var count: Int { members.count }

    /// Whether there are no members.
    public var isEmpty: Bool { members.isEmpty }

    public var keys: [String] { members.map(\.key) }

    public var values: [JSONValue] { members.map(\.value) }

    /// The members, sorted by their names' bytes (which is the order of code points).
    package var sorted: [Element] { members.sorted { $0.key.precedes($1.key) } }

    /// Removes a member and returns its value, if there was one.
    @discardableResult
    package mutating func removeValue(forKey name: String) -> JSONValue? {
      index(of: name).map { members.remove(at: $0).value }
    }

    /// Returns these members and those of another object, which replace members with the same name.
    package func merging(_ other: Object) -> Object { Object(members: members + other.members) }

    /// Returns the members that satisfy a predicate.
    package func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> Object {
      var kept = Object()
      kept.members = try members.filter(isIncluded)
      return kept
    }

    /// Returns a dictionary with the transformed values; names that are canonically equivalent are merged.
    package func mapValues<Value>(_ transform: (JSONValue) throws -> Value) rethrows -> [String: Value] {
      var mapped: [String: Value] = [:]
      for (key, value) in members { mapped[key] = try transform(value) }
      return mapped
    }
  }
}

extension JSONValue.Object: Hashable {
  /// Compares the members, in any order.
  public static func == (left: Self, right: Self) -> Bool {
    left.count == right.count
      && zip(left.sorted, right.sorted).allSatisfy { $0.key.isIdentical(to: $1.key) && $0.value == $1.value }
  }

  /// Hashes the members, in any order.
  public func hash(into hasher: inout Hasher) {
    for (key, value) in sorted {
      hasher.combine(JSONValue.string(key))
      hasher.combine(value)
    }
  }
}

extension JSONValue.Object: Sequence {
  /// A name and its value.
  public typealias Element = (key: String, value: JSONValue)

  /// An iterator over the members in the order read.
  public func makeIterator() -> IndexingIterator<[Element]> { members.makeIterator() }
}

extension JSONValue.Object: ExpressibleByDictionaryLiteral {
  /// Creates an object; if a name is repeated, its last value applies.
  public init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }
}

extension [JSONValue.Object.Element] {
  /// The indices of members with the same name; sorts them, since comparing all pairs takes quadratic time.
  var repetitions: [(earlier: Int, later: Int)] {
    let order = indices.sorted { left, right in
      let (leftKey, rightKey) = (self[left].key, self[right].key)
      return leftKey.isIdentical(to: rightKey) ? left < right : leftKey.precedes(rightKey)
    }
    return zip(order, order.dropFirst()).filter { self[$0].key.isIdentical(to: self[$1].key) }.map { ($0, $1) }
  }
}

extension String {
  fileprivate func precedes(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}
