package import MSAuth
package import MSAuthCore
import MSAuthUnix
import Synchronization

/// Where a setting was written.
package enum Source: Sendable, Equatable {
  /// A constant of the program.
  case program
  case file(FileLocation)
  /// A variable of the environment.
  case variable(String)
  /// A flag, or the key of a value about to be written.
  case flag(String)

  /// Higher overrides lower.
  var precedence: Int {
    switch self {
    case .program: 0
    case .file(let location): location.file == FileLocation.systemFile ? 1 : 2
    case .variable: 3
    case .flag: 4
    }
  }

  /// The setting as it was written.
  package var name: String {
    switch self {
    case .program: "a constant"
    case .file(let location): "\"\(location.key)\""
    case .variable(let name), .flag(let name): name
    }
  }

  package var location: String {
    switch self {
    case .program: "default"
    case .file(let location): location.description
    case .variable, .flag: name
    }
  }

  /// The error of a wrong value: usage if it was typed, else configuration.
  func error(
    _ what: String,
    value: String? = nil,
    reason: AuthenticationError.Reason = "configuration_file",
    hint: Hint? = nil
  ) -> AuthenticationError {
    let value = value.map { "\"\($0.printable(limit: 80))\"" }
    switch self {
    case .file(let location):
      return AuthenticationError(
        in: "\(location.description): \(name)\(value.map { ": \($0)" } ?? "")",
        what,
        hint: hint
      )
    case .flag:
      let subject = value.map { "\(name) \($0)" } ?? name
      return AuthenticationError(.invalidParameter, "\(subject) \(what)", reason: reason, hint: hint)
    case .variable, .program:
      let subject = value.map { "\(name): \($0)" } ?? name
      return AuthenticationError(.invalidConfiguration, "\(subject) \(what)", reason: reason, hint: hint)
    }
  }

  func unknownKey(named name: String, among names: [String]) -> AuthenticationError {
    let hint: Hint =
      nearest(to: name, in: names).map { "did you mean \"\($0)\"?" } ?? "the keys are \(names.joined(separator: ", "))"
    if case .file(let location) = self {
      return AuthenticationError(in: "\(location.description):", "unknown key \(self.name)", hint: hint)
    }
    let message = "unknown key \"\(self.name)\""
    return AuthenticationError(.invalidParameter, message, reason: "configuration_file", hint: hint)
  }

  func member(_ name: String) -> Source {
    switch self {
    case .file(let location): .file(location.member(name))
    case .flag(let flag): .flag(flag + FileLocation.suffix(name))
    case .program, .variable: self
    }
  }

  /// In a file, a relative path is relative to the file.
  func path(of value: String) -> String {
    guard case .file(let location) = self, !value.isAbsolutePath else { return value }
    return location.file.parentDirectory.appendingPathComponent(value)
  }

  /// The members of an object that has no others.
  func members(of value: JSONValue, _ names: [String]) throws -> Layer {
    guard let members = value.object else { throw error("must be an object") }
    return try members.sorted.reduce(into: [:]) { layer, member in
      let source = self.member(member.key)
      guard names.contains(where: { $0.isIdentical(to: member.key) }) else {
        throw source.unknownKey(named: member.key, among: names)
      }
      layer[member.key] = Sourced(member.value, source)
    }
  }
}

/// A file's text; the lines of an object's members are found together, since each of thousands may be a mistake.
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

extension AuthenticationError {
  /// The error of a configuration file, named with or without a line.
  init(in file: String, _ what: String, hint: Hint? = nil) {
    self.init(.invalidConfiguration, "\(file.printable()) \(what)", reason: "configuration_file", hint: hint)
  }
}

/// A value and where it was written.
package struct Sourced<Value: Sendable>: Sendable {
  package var value: Value
  package let source: Source

  package init(_ value: Value, _ source: Source = .program) {
    (self.value, self.source) = (value, source)
  }

  func map<Part>(_ part: (Value) throws -> Part?) rethrows -> Sourced<Part>? {
    try part(value).map { Sourced<Part>($0, source) }
  }
}

extension Sourced<String> {
  package func refused(_ what: String, reason: AuthenticationError.Reason, hint: Hint? = nil) -> AuthenticationError {
    source.error(what, value: value, reason: reason, hint: hint)
  }

  /// Uses the value, or throws the error that names the setting.
  func use<Result>(_ reason: AuthenticationError.Reason, _ body: (String) throws -> Result) throws -> Result {
    do {
      return try body(value)
    } catch let error as AuthenticationError {
      throw refused("can't be used: \(error.message)", reason: error.reason ?? reason, hint: error.hint)
    }
  }
}
