import MSAuth
import Core

/// A setting's text and where it came from, so that a wrong one is blamed on the right place.
struct Given {
  /// The places in the order of their weight.
  enum Source {
    case flag(String)
    case variable(String)
    case file(path: String, key: String)
  }

  var text: String
  var source: Source

  /// How much it weighs: a flag more than a variable, and that more than a file.
  var weight: Int {
    switch source {
    case .flag: 2
    case .variable: 1
    case .file: 0
    }
  }

  /// The error of a text that the setting does not take: usage when typed, configuration when written down.
  ///
  /// - Parameters:
  ///   - what: Why it is refused, as the end of a sentence.
  ///   - reason: A stable word.
  ///   - remedy: What it may be instead.
  /// - Returns: The error.
  func refused(_ what: String, reason: AuthenticationError.Reason, remedy: Remedy?) -> AuthenticationError {
    let value = "\"\(text.printable(limit: 80))\""
    return switch source {
    case .flag(let name):
      AuthenticationError(.invalidParameter, "\(name) \(value) \(what)", reason: reason, remedy: remedy)
    case .variable(let name):
      AuthenticationError(.invalidConfiguration, "\(name) is \(value), which \(what)", reason: reason, remedy: remedy)
    case .file(let path, let key):
      ConfigurationFile.wrong(path, "has \"\(key)\": \(value), which \(what)", remedy: remedy)
    }
  }
}
