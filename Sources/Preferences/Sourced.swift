package import Core
package import MSAuth

/// Where a setting was written, so that a wrong one is blamed on the right place.
package enum Source: Sendable, Equatable {
  /// A constant of the program.
  case program
  /// A key of the configuration file.
  case file(FilePlace)
  /// A variable of the environment.
  case variable(String)
  /// A flag of the command line, or the key of a value that is to be written.
  case flag(String)

  /// Its precedence: a flag counts more than a variable, and that more than a file.
  var precedence: Int {
    switch self {
    case .program: 0
    case .file: 1
    case .variable: 2
    case .flag: 3
    }
  }

  /// The setting as it was written: a flag, a variable or a key.
  package var name: String {
    switch self {
    case .program: "a constant"
    case .file(let place): "\"\(place.key)\""
    case .variable(let name), .flag(let name): name
    }
  }

  /// The error of a value that the setting does not take: usage when typed, configuration when written down.
  func error(
    _ what: String,
    value: String? = nil,
    reason: AuthenticationError.Reason = "configuration_file",
    hint: Hint? = nil
  ) -> AuthenticationError {
    let value = value.map { "\"\($0.printable(limit: 80))\"" }
    switch self {
    case .flag(let name):
      let subject = value.map { "\(name) \($0)" } ?? name
      return AuthenticationError(.invalidParameter, "\(subject) \(what)", reason: reason, hint: hint)
    case .variable(let name):
      let subject = value.map { "\(name) is \($0), which" } ?? name
      return AuthenticationError(.invalidConfiguration, "\(subject) \(what)", reason: reason, hint: hint)
    case .file(let place):
      let rest = value.map { ": \($0), which" } ?? " that"
      return place.wrong("has \"\(place.key)\"\(rest) \(what)", hint: hint)
    case .program:
      let subject = value ?? "a constant"
      return AuthenticationError(.invalidConfiguration, "\(subject) \(what)", reason: reason, hint: hint)
    }
  }
}

/// A member of the configuration file.
package struct FilePlace: Sendable, Equatable {
  /// The file.
  package let file: String
  /// The member's name in messages, such as `profiles.work.store`.
  package private(set) var key: String
  /// The names that lead to it.
  private var path: [String]
  private let document: [UInt8]

  init(_ path: [String], in file: String, _ document: [UInt8]) {
    self.file = file
    self.path = path
    self.document = document
    key = path.map { $0.printable(limit: 80) }.joined(separator: ".")
  }

  /// A member of this one.
  func member(_ name: String) -> FilePlace {
    var place = self
    place.path.append(name)
    place.key += (key.isEmpty ? "" : ".") + name.printable(limit: 80)
    return place
  }

  /// An element of this list.
  func element(_ index: Int) -> FilePlace {
    var place = self
    place.key += "[\(index)]"
    return place
  }

  /// The line of the member, or of the outer one that is there; nil for a file without any.
  package var line: Int? {
    for count in stride(from: path.count, to: 0, by: -1) {
      let members = try? JSON.places(in: Array(path.prefix(count - 1)), of: document)
      if let member = members?.first(where: { $0.name.isIdentical(to: path[count - 1]) }) {
        return member.line(in: document)
      }
    }
    return nil
  }

  /// The file and the line, as compilers write them.
  package var description: String { file.printable() + (line.map { ":\($0)" } ?? "") }

  /// The error of a mistake here.
  func wrong(_ what: String, hint: Hint? = nil) -> AuthenticationError {
    AuthenticationError(.invalidConfiguration, "\(description) \(what)", reason: "configuration_file", hint: hint)
  }
}

/// A setting's value and where it was written.
package struct Sourced<Value: Sendable>: Sendable {
  package var value: Value
  package var source: Source
  /// The value as JSON, where a file gave it.
  var json: JSON?

  package init(_ value: Value, _ source: Source = .program, json: JSON? = nil) {
    self.value = value
    self.source = source
    self.json = json
  }

  /// The same source with a part of the value, or nil where the value has no such part.
  func map<Part>(_ part: (Value) -> Part?) -> Sourced<Part>? {
    part(value).map { Sourced<Part>($0, source) }
  }
}

extension Sourced<String> {
  /// The error of a string that the setting does not take.
  package func refused(
    _ what: String,
    reason: AuthenticationError.Reason,
    hint: Hint? = nil
  ) -> AuthenticationError {
    source.error(what, value: value, reason: reason, hint: hint)
  }
}
