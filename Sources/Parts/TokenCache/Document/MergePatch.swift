import MSAuthCore

// JSON Merge Patch (RFC 7396), in which a member with null is one to remove: entries of a cache have no such members.
extension JSONValue.Object {
  func mergePatch(to new: Self) -> Self {
    let old = Dictionary(map { (JSONValue.string($0.key), $0.value) }) { _, last in last }
    var patch = new.compactMap { name, value -> (String, JSONValue)? in
      guard let before = old[.string(name)] else { return (name, value) }
      guard let members = value.object, let membersBefore = before.object else {
        return value == before ? nil : (name, value)
      }
      let changes = membersBefore.mergePatch(to: members)
      return changes.isEmpty ? nil : (name, .object(changes))
    }
    let names = Set(new.keys.map(JSONValue.string))
    patch += keys.filter { !names.contains(.string($0)) }.map { ($0, .null) }
    return Self(patch)
  }

  mutating func apply(mergePatch: Self) {
    for (name, value) in mergePatch {
      guard let changes = value.object else {
        self[name] = value == .null ? nil : value
        continue
      }
      var members = self[name]?.object ?? [:]
      members.apply(mergePatch: changes)
      self[name] = .object(members)
    }
  }
}
