import MSAuthCore
import MSAuthUnix
import Synchronization

/// A file's text; finds the lines of all members of an object at once, so that thousands of mistakes take linear time.
package final class FileText: Sendable, Equatable {
  private let document: [UInt8]
  private let lines = Mutex<[[String]: [[UInt8]: Int]]>([:])

  init(_ document: [UInt8]) { self.document = document }

  func line(of name: String, in path: [String]) -> Int? {
    lines.withLock { lines in
      let known = lines[path] ?? JSONValue.memberLines(at: path, in: document)
      lines[path] = known
      return known[Array(name.utf8)]
    }
  }

  package static func == (left: FileText, right: FileText) -> Bool { left.document == right.document }
}

/// A member of a configuration file.
package struct FileLocation: Sendable, Equatable {
  /// The configuration file for all users.
  package static let systemFile = "/etc/msauth/config.json"

  package let file: String
  private(set) var path: [String] = []
  let text: FileText

  /// A member, or an element such as `[0]`.
  func member(_ name: String) -> FileLocation {
    var member = self
    member.path.append(name)
    return member
  }

  static func suffix(_ name: String) -> String { (name.hasPrefix("[") ? "" : ".") + name.printable(limit: 80) }

  /// The name in messages, such as `profiles.work.store`.
  package var key: String { String(path.map(Self.suffix).joined().dropFirst()) }

  /// The line of the member, or of the innermost one around it.
  package var line: Int? {
    for count in stride(from: path.count, to: 0, by: -1) {
      if let line = text.line(of: path[count - 1], in: Array(path.prefix(count - 1))) { return line }
    }
    return nil
  }

  /// File and line, as compilers write them.
  package var description: String { file.printable() + (line.map { ":\($0)" } ?? "") }
}
