import MSAuthCore
import MSAuthUnix

/// A member of a configuration file.
package struct FileLocation: Sendable, Equatable {
  /// The configuration file for all users.
  package static let systemFile = "/etc/msauth/config.json"

  package let file: String
  private(set) var path: [String] = []
  let document: [UInt8]

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
  package var line: Int? { JSONValue.line(ofMemberAt: path, in: document) }

  /// How to remove the member, a key of the file or of a profile.
  var removal: Hint {
    if file == Self.systemFile { return "remove one in \(file)" }
    let profile: Hint = path.count > 2 ? " \(setting: "profile", path[1], or: "of the profile")" : ""
    return "remove one: \(action: .removeKey(path.last ?? key), or: "\(key) in \(file)")\(profile)"
  }

  /// File and line, as compilers write them.
  package var description: String { file.printable() + (line.map { ":\($0)" } ?? "") }
}
