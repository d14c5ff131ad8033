import Glibc
import MSAuth
import Core

/// Output: results go to stdout, everything else to stderr, with the program's name in front.
///
/// The stderr contract: one line per message, lower case, no full stop; `hint:` lines say what to do next.
enum Console {
  /// Writes a result; nothing else goes to stdout.
  static func result(_ text: String) {
    write(text + "\n", to: STDOUT_FILENO)
  }

  /// Writes a message.
  static func say(_ message: String) {
    write("msauth: \(message)\n", to: STDERR_FILENO)
  }

  /// Writes what to do next.
  static func hint(_ text: String) {
    say("hint: \(text)")
  }

  /// Reports a failure: what happened, what the provider said, what to do.
  static func error(_ error: AuthenticationError) {
    say(lowerCased(error.message))
    say("code \(error.words.joined(separator: ", "))")
    if let provider = error.provider {
      if let description = provider.description, !error.message.contains(description) { say(description.printable()) }
      if let id = provider.correlationID { say("correlation id \(id.printable(limit: 80))") }
      if let id = provider.traceID { say("trace id \(id.printable(limit: 80))") }
      if let page = provider.errorURI { say("more at \(page.printable(limit: 500))") }
    }
    for candidate in error.candidates {
      say("account \(candidate.username.printable()) (\(candidate.identifier.printable()))")
    }
    if error.isThrottled, let seconds = error.retryAfter {
      say("not sent again: it failed a moment ago; it is sent again in \(seconds) s")
    }
    if let remedy = error.remedy { hint(remedy.commandLine.printable(limit: 2000)) }
  }

  /// The text with its first letter small, unless it begins with an abbreviation such as AADSTS50011.
  static func lowerCased(_ text: String) -> String {
    let second = text.dropFirst().first
    guard let first = text.first, second?.isUppercase != true, second?.isNumber != true else { return text }
    return first.lowercased() + text.dropFirst()
  }

  private static func write(_ text: String, to descriptor: Int32) {
    let bytes = Array(text.utf8)
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 {
        guard errno == EINTR else { return }
        continue
      }
      rest = rest.dropFirst(count)
    }
  }
}

extension AuthenticationError {
  /// Its stable words, from the general to the exact: what a search, a script or an administrator needs.
  fileprivate var words: [String] {
    var words = [code.rawValue]
    for word in [reason?.rawValue, provider?.error, provider?.subError] {
      if let word, !words.contains(word) { words.append(word.printable(limit: 100)) }
    }
    return words + (provider?.codes.map { "AADSTS\($0)" } ?? [])
  }
}
