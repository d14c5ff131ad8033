import ArgumentParser
import Core

/// A path into a JSON document, such as `.value[].displayName`: members, indices, and `[]` for all elements.
struct JSONQuery: ExpressibleByArgument {
  private enum Step {
    case member(String)
    case index(Int)
    case all
  }

  private let steps: [Step]
  /// The path as it was written.
  let text: String

  /// Whether the path may lead to any number of values.
  var isMultiple: Bool { steps.contains { if case .all = $0 { true } else { false } } }

  init?(argument: String) {
    var steps: [Step] = []
    var rest = argument.utf8[...]
    // The document itself.
    if argument == "." { rest = rest.dropFirst() }
    while let first = rest.first {
      if first == UInt8(ascii: "[") {
        guard let end = rest.firstIndex(of: UInt8(ascii: "]")) else { return nil }
        let inside = String(decoding: rest[rest.index(after: rest.startIndex)..<end], as: UTF8.self)
        rest = rest[rest.index(after: end)...]
        if inside.isEmpty {
          steps.append(.all)
        } else if let index = Int(inside) {
          steps.append(.index(index))
        } else if let name = (try? JSON(parsing: inside.utf8))?.string {
          steps.append(.member(name))
        } else {
          return nil
        }
        continue
      }
      // The first name may do without its dot.
      if first == UInt8(ascii: ".") { rest = rest.dropFirst() } else if !steps.isEmpty { return nil }
      if rest.first == UInt8(ascii: "[") { continue }
      let name = rest.prefix { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "[") }
      guard !name.isEmpty else { return nil }
      steps.append(.member(String(decoding: name, as: UTF8.self)))
      rest = rest[name.endIndex...]
    }
    guard !argument.isEmpty else { return nil }
    self.steps = steps
    text = argument
  }

  /// The values that the path leads to; one that is not there is left out.
  func values(in document: JSON) -> [JSON] {
    steps.reduce([document]) { values, step in
      values.flatMap { value -> [JSON] in
        switch step {
        case .member(let name): return value[name].map { [$0] } ?? []
        case .index(let index):
          guard let elements = value.array else { return [] }
          let position = index < 0 ? elements.count + index : index
          return elements.indices.contains(position) ? [elements[position]] : []
        case .all: return value.array ?? value.object?.sorted.map(\.value) ?? []
        }
      }
    }
  }
}

extension JSON {
  /// The value on one line of a script's input: a string as it is, anything else as JSON.
  var line: String { string ?? serializedString() }
}
