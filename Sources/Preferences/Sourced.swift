import Core
import MSAuth

/// Where a setting was written, so that a wrong one is blamed on the right place.
package enum Source: Sendable, Equatable {
  /// A constant of the program.
  case program
  /// A key of the configuration file, such as `profiles.work.store`.
  case file(path: String, key: String)
  /// A variable of the environment.
  case variable(String)
  /// A flag of the command line.
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
    case .file(_, let key): "\"\(key)\""
    case .variable(let name), .flag(let name): name
    }
  }

  /// The error of a value that the setting does not take: usage when typed, configuration when written down.
  ///
  /// - Parameters:
  ///   - what: What is wrong with the value, as the end of a sentence.
  ///   - value: The value, where it is a string worth showing.
  ///   - reason: The error's reason.
  ///   - remedy: What it may be instead.
  /// - Returns: The error.
  func error(
    _ what: String,
    value: String? = nil,
    reason: AuthenticationError.Reason = .configurationFile,
    remedy: Remedy? = nil
  ) -> AuthenticationError {
    let value = value.map { "\"\($0.printable(limit: 80))\"" }
    switch self {
    case .flag(let name):
      let subject = value.map { "\(name) \($0)" } ?? name
      return AuthenticationError(.invalidParameter, "\(subject) \(what)", reason: reason, remedy: remedy)
    case .variable(let name):
      let subject = value.map { "\(name) is \($0), which" } ?? name
      return AuthenticationError(.invalidConfiguration, "\(subject) \(what)", reason: reason, remedy: remedy)
    case .file(let path, let key):
      let rest = value.map { ": \($0), which" } ?? " that"
      return ConfigurationFile.wrong(path, "has \"\(key)\"\(rest) \(what)", remedy: remedy)
    case .program:
      let subject = value ?? "a constant"
      return AuthenticationError(.invalidConfiguration, "\(subject) \(what)", reason: reason, remedy: remedy)
    }
  }
}

/// A setting's value and where it was written.
package struct Sourced<Value: Sendable>: Sendable {
  package var value: Value
  package var source: Source

  package init(_ value: Value, _ source: Source = .program) {
    self.value = value
    self.source = source
  }

  /// The same source with a part of the value, or nil where the value has no such part.
  func map<Part>(_ part: (Value) -> Part?) -> Sourced<Part>? {
    part(value).map { Sourced<Part>($0, source) }
  }
}

extension Sourced<String> {
  /// The error of a string that the setting does not take.
  func refused(_ what: String, reason: AuthenticationError.Reason, remedy: Remedy?) -> AuthenticationError {
    source.error(what, value: value, reason: reason, remedy: remedy)
  }
}
