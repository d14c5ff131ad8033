import MSAuthCore
import MSAuthUnix

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
    let isFlag = if case .flag = self { true } else { false }
    let value = value.map { "\(isFlag ? "" : ":") \"\($0.printable(limit: 80))\"" } ?? ""
    if case .file(let location) = self {
      return AuthenticationError(in: "\(location.description): \(name)\(value)", what, hint: hint)
    }
    let code: AuthenticationError.Code = isFlag ? .invalidParameter : .invalidConfiguration
    return AuthenticationError(code, "\(name)\(value) \(what)", reason: reason, hint: hint)
  }

  func unknownKey(named given: String, among names: [String]) -> AuthenticationError {
    let key = ConfigurationKey.canonical(given)
    let intended = names.contains(key) ? key : nearest(to: given, in: names)
    // The file's own keys are too many for a hint.
    let list: Hint? = names.count > 10 ? nil : "the keys are \(names.joined(separator: ", "))"
    let hint: Hint? = intended.map { "did you mean \"\($0)\"?" } ?? list
    if case .file(let location) = self {
      return AuthenticationError(in: "\(location.description):", "unknown key \(name)", hint: hint)
    }
    return AuthenticationError(.invalidParameter, "unknown key \"\(name)\"", reason: "configuration_file", hint: hint)
  }

  func member(_ name: String) -> Source {
    switch self {
    case .file(let location): .file(location.member(name))
    case .flag(let flag): .flag(flag + FileLocation.suffix(name))
    case .program, .variable: self
    }
  }

  /// Where the value is in the user's own file.
  var ownFile: FileLocation? {
    if case .file(let location) = self, location.file != FileLocation.systemFile { location } else { nil }
  }

  /// In a file, a relative path is relative to the file.
  func path(of value: String) -> String {
    guard case .file(let location) = self, !value.isAbsolutePath else { return value }
    return location.file.parentDirectory.appendingPathComponent(value)
  }
}

extension AuthenticationError {
  /// The error of a configuration file, named with or without a line.
  init(in file: String, _ what: String, hint: Hint? = nil) {
    self.init(.invalidConfiguration, "\(file.printable()) \(what)", reason: "configuration_file", hint: hint)
  }
}

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
    return "remove one: \(action: .removeKey(path.last ?? key), or: "\(key) in \(file)")\(inProfile)"
  }

  /// How to set another key beside the member.
  func setting(_ key: String, _ value: String) -> Hint {
    "\(action: .setKey(key), or: key) \(command: [value])\(inProfile)"
  }

  private var inProfile: Hint { path.count > 2 ? " \(setting: "profile", path[1], or: "of the profile")" : "" }

  /// File and line, as compilers write them.
  package var description: String { file.printable() + (line.map { ":\($0)" } ?? "") }
}
