// Changes one member of a document that the user wrote; all other bytes stay as they are.
extension JSONValue {
  /// The line of an offset, from 1.
  package static func line(of offset: Int, in document: [UInt8]) -> Int {
    1 + document.prefix(offset).count { $0 == 0x0A }
  }

  /// The line of the member at a path, or of the innermost member of the path that exists.
  package static func line(ofMemberAt path: [String], in document: [UInt8]) -> Int? {
    path.indices.reversed().firstNonNil { depth in
      guard let object = try? ObjectLocation.find(Array(path[..<depth]), in: document),
        let index = object.index(of: path[depth])
      else { return nil }
      return line(of: object.members[index].range.lowerBound, in: document)
    }
  }

  /// Sets or removes one member; missing objects of the path are added, laid out like their neighbors.
  package static func setting(
    _ path: [String],
    to value: JSONValue?,
    in document: [UInt8]
  ) throws(ParseError) -> [UInt8] {
    var (path, value, isIntermediate) = (path, value, false)
    while let name = path.popLast() {
      if let object = try ObjectLocation.find(path, in: document) {
        // A member that isn't an object isn't replaced with one, unless it is null.
        if isIntermediate, let index = object.index(of: name), !object.isNull(index, in: document) { break }
        return object.setting(name, to: value, in: document)
      }
      guard let inner = value else { return document }
      value = .object([name: inner])
      isIntermediate = true
    }
    throw ParseError(.notAnObject, at: 0)
  }
}

/// An object's position in a document.
private struct ObjectLocation {
  struct Member {
    let name: String
    /// From the name's quotation mark to the end of the value.
    let range: Range<Int>
    /// The offset of the value.
    let value: Int
  }

  /// The offset after the opening brace.
  let start: Int
  /// The offset of the closing brace.
  let end: Int
  let members: [Member]

  static func find(_ path: [String], in document: [UInt8]) throws(JSONValue.ParseError) -> ObjectLocation? {
    // Checks the whole document: the reader below stops at the object.
    _ = try JSONValue(parsing: document, options: .strict(maximumSize: document.count))
    return try document.withUnsafeBufferPointer { bytes throws(JSONValue.ParseError) in
      var reader = JSONValue.Reader(bytes: bytes, options: .strict)
      reader.skipByteOrderMark()
      reader.skipSpace()
      for name in path {
        guard let object = try reader.objectLocation(), let index = object.index(of: name) else { return nil }
        reader.next = object.members[index].value
      }
      return try reader.objectLocation()
    }
  }

  func isNull(_ index: Int, in document: [UInt8]) -> Bool { document[members[index].value] == UInt8(ascii: "n") }

  func index(of name: String) -> Int? { members.firstIndex { $0.name.isIdentical(to: name) } }

  func setting(_ name: String, to value: JSONValue?, in document: [UInt8]) -> [UInt8] {
    switch (index(of: name), value) {
    case (nil, nil): return document
    case (nil, let value?): return adding(name, value, to: document)
    case (let index?, let value?):
      let member = members[index]
      let text = Self.text(of: value, indentation: Self.indentation(at: member.range.lowerBound, in: document))
      return document.replacing(member.value..<member.range.upperBound, with: text)
    case (let index?, nil):
      let range =
        if members.count == 1 {
          start..<end
        } else if index < members.count - 1 {
          members[index].range.lowerBound..<members[index + 1].range.lowerBound
        } else {
          members[index - 1].range.upperBound..<members[index].range.upperBound
        }
      return document.replacing(range, with: [])
    }
  }

  private func adding(_ name: String, _ value: JSONValue, to document: [UInt8]) -> [UInt8] {
    let key = JSONValue.string(name).serialized() + colon(in: document)
    guard let last = members.last else {
      guard let outer = Self.indentation(at: start, in: document) else {
        return document.replacing(start..<end, with: key + value.serialized())
      }
      let inner = outer + [0x20, 0x20]
      let text = [0x0A] + inner + key + Self.text(of: value, indentation: inner) + [0x0A] + outer
      return document.replacing(start..<end, with: text)
    }
    // Separate like the last member; a single member on one line may follow the brace directly.
    let before = document[..<last.range.lowerBound]
    let space = Array(before.suffix(before.reversed().prefix { [0x20, 0x0A, 0x0D, 0x09].contains($0) }.count))
    let separator = members.count == 1 && !space.contains(0x0A) ? [0x20] : space
    let indentation = space.contains(0x0A) ? Self.indentation(at: last.range.lowerBound, in: document) : nil
    let text = [UInt8(ascii: ",")] + separator + key + Self.text(of: value, indentation: indentation)
    return document.replacing(last.range.upperBound..<last.range.upperBound, with: text)
  }

  /// What separates the last member's name from its value.
  private func colon(in document: [UInt8]) -> [UInt8] {
    guard let last = members.last else { return Array(": ".utf8) }
    let before = document[..<last.value]
    return Array(before.suffix(before.reversed().prefix { $0 != UInt8(ascii: "\"") }.count))
  }

  /// The white space at the beginning of the line; `nil` in a document on one line.
  private static func indentation(at offset: Int, in document: [UInt8]) -> [UInt8]? {
    let before = document[..<offset]
    // An empty object alone, such as `{}`, may be written on several lines.
    guard before.contains(0x0A) || document[offset...].drop(while: { $0 != 0x0A }).count > 1 || before.count == 1 else {
      return nil
    }
    let line = before.suffix(before.reversed().prefix { $0 != 0x0A }.count)
    return Array(line.prefix { $0 == 0x20 || $0 == 0x09 })
  }

  private static func text(of value: JSONValue, indentation: [UInt8]?) -> [UInt8] {
    guard let indentation, case .object = value else { return value.serialized() }
    return value.serialized(.pretty).flatMap { $0 == 0x0A ? [$0] + indentation : [$0] }
  }
}

extension JSONValue.Reader {
  /// The object at this position; `nil` if the value isn't an object.
  fileprivate mutating func objectLocation() throws(JSONValue.ParseError) -> ObjectLocation? {
    guard byte == UInt8(ascii: "{") else { return nil }
    let start = next + 1
    var members: [ObjectLocation.Member] = []
    try eachMember { name, first, reader throws(JSONValue.ParseError) in
      let value = reader.next
      _ = try reader.value()
      members.append(ObjectLocation.Member(name: name, range: first..<reader.next, value: value))
    }
    return ObjectLocation(start: start, end: next - 1, members: members)
  }
}

extension [UInt8] {
  fileprivate func replacing(_ range: Range<Int>, with bytes: [UInt8]) -> [UInt8] {
    self[..<range.lowerBound] + bytes + self[range.upperBound...]
  }
}
