import Core
import Glibc

/// A command that opens a browser, as `--browser` or an entry of `$BROWSER` specifies it.
struct BrowserCommand: Equatable, Sendable {
  let program: String
  /// May contain `%s`.
  let arguments: [String]

  init(_ program: String, _ arguments: [String] = []) {
    self.program = program
    self.arguments = arguments
  }

  /// Splits a command into words as a shell does: blanks separate words; quotes and backslashes keep them together.
  ///
  /// Nothing is expanded. The result is nil when there is no program, or a quote is not closed.
  init?(_ command: String) {
    var words: [[UInt8]] = []
    // Appended to in place: copied for each byte, a long command would take quadratic time.
    var word: [UInt8] = []
    var isInWord = false
    var quote: UInt8?
    var isEscaped = false
    for byte in command.utf8 {
      switch byte {
      case _ where isEscaped:
        word.append(byte)
        (isInWord, isEscaped) = (true, false)
      case UInt8(ascii: "\\") where quote != UInt8(ascii: "'"): isEscaped = true
      case quote: quote = nil
      case UInt8(ascii: "'") where quote == nil, UInt8(ascii: "\"") where quote == nil:
        quote = byte
        isInWord = true
      case UInt8(ascii: " ") where quote == nil, UInt8(ascii: "\t") where quote == nil:
        if isInWord { words.append(word) }
        word.removeAll()
        isInWord = false
      default:
        word.append(byte)
        isInWord = true
      }
    }
    guard quote == nil, !isEscaped else { return nil }
    if isInWord { words.append(word) }
    guard let program = words.first, !program.isEmpty else { return nil }
    self.program = String(decoding: program, as: UTF8.self)
    self.arguments = words.dropFirst().map { String(decoding: $0, as: UTF8.self) }
  }

  /// Joins words to a command that means them: what ``init(_:)`` makes of it are the same words.
  static func joined(_ words: [String]) -> String {
    words.map { word in
      // Quoted as a shell would want it too, where somebody tries the command.
      let isPlain = !word.isEmpty && word.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-_./:=@%+,".utf8.contains($0) }
      let quoted = word.utf8.split(separator: UInt8(ascii: "'"), omittingEmptySubsequences: false)
        .map { "'\(String(decoding: $0, as: UTF8.self))'" }
      return isPlain ? word : quoted.joined(separator: "\\'")
    }.joined(separator: " ")
  }

  /// The commands of `$BROWSER`, which are separated by colons.
  static func list(_ variable: String) -> [BrowserCommand] {
    variable.splitAtColons().compactMap { BrowserCommand($0) }
  }

  /// The arguments for an address: `%s` is replaced, `%%` is a percent sign; without `%s` the address comes last.
  func arguments(for address: WebURL) -> [String] {
    var isReplaced = false
    let filled = arguments.map { argument in
      var result: [UInt8] = []
      var rest = argument.utf8[...]
      while let byte = rest.popFirst() {
        if byte == UInt8(ascii: "%"), rest.first == UInt8(ascii: "s") {
          rest.removeFirst()
          result += address.string.utf8
          isReplaced = true
        } else {
          result.append(byte)
          if byte == UInt8(ascii: "%"), rest.first == byte { rest.removeFirst() }
        }
      }
      return String(decoding: result, as: UTF8.self)
    }
    return isReplaced ? filled : filled + [address.string]
  }
}

extension String {
  /// The parts of a variable such as `PATH` that are not empty.
  ///
  /// By bytes: a colon counts also where a combining mark follows it, which Swift takes for one `Character`.
  func splitAtColons() -> [String] {
    utf8.split(separator: UInt8(ascii: ":")).map { String(decoding: $0, as: UTF8.self) }
  }
}

/// Finds a program as a shell does.
package func findProgram(_ program: String, path: String?) -> String? {
  func isExecutableFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
  }
  guard !program.isEmpty, !program.utf8.contains(0) else { return nil }
  if program.utf8.contains(UInt8(ascii: "/")) { return isExecutableFile(program) ? program : nil }
  return (path ?? "/usr/local/bin:/usr/bin:/bin").splitAtColons().lazy
    .filter { $0.utf8.first == UInt8(ascii: "/") }
    .map { "\($0)/\(program)" }
    .first(where: isExecutableFile)
}
