import Glibc

extension String {
  /// Whether the value of an environment variable lost bytes when it was decoded, since they were not UTF-8.
  ///
  /// Swift puts U+FFFD in their place; a path would silently mean another file then. One that has this character itself,
  /// properly encoded, is what it says.
  package func hasLostBytes(of name: String) -> Bool {
    guard unicodeScalars.contains("\u{FFFD}") else { return false }
    guard let raw = getenv(name) else { return true }
    return String(validatingCString: raw).map { !$0.utf8.elementsEqual(utf8) } ?? true
  }
}

/// What stands on a command line before an argument that is not UTF-8.
package enum CommandLineEncoding {
  /// Finds the first argument of this process that is not UTF-8.
  package static func firstFlaw() -> String? {
    let arguments = CommandLine.unsafeArgv
    for index in 0..<Int(CommandLine.argc) {
      guard let argument = arguments[index], String(validatingCString: argument) == nil else { continue }
      let decoded = String(cString: argument)
      if decoded.hasPrefix("--") { return decoded.split(separator: "=", maxSplits: 1).first.map(String.init) }
      if index > 1, let before = arguments[index - 1].flatMap({ String(validatingCString: $0) }), before.hasPrefix("-")
      {
        return before
      }
      return decoded
    }
    return nil
  }
}
