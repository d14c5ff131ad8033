import MSAuthCore

/// The command of `--browser` or an entry of `$BROWSER`.
struct BrowserCommand: Equatable, Sendable {
  let program: String
  /// May contain `%s`.
  let arguments: [String]

  init(_ program: String, _ arguments: [String] = []) {
    self.program = program
    self.arguments = arguments
  }

  /// Splits a command; `nil` if there is no program or a quote is not closed.
  init?(_ command: String) {
    guard let words = Self.words(command.utf8), let program = words.first, !program.isEmpty else { return nil }
    self.init(program, Array(words.dropFirst()))
  }

  /// Splits into words as a shell does, without expansion; `nil` if a quote is not closed.
  static func words(_ command: some Sequence<UInt8>) -> [String]? {
    var words: [String] = []
    var word: [UInt8] = []
    var isInWord = false
    var quote: UInt8?
    var isEscaped = false
    for byte in command {
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
        if isInWord { words.append(String(decoding: word, as: UTF8.self)) }
        word.removeAll()
        isInWord = false
      default:
        word.append(byte)
        isInWord = true
      }
    }
    guard quote == nil, !isEscaped else { return nil }
    return isInWord ? words + [String(decoding: word, as: UTF8.self)] : words
  }

  /// Quotes and joins words, so that ``init(_:)`` and a shell split them into the same words.
  static func joined(_ words: [String]) -> String { words.map(\.shellWord).joined(separator: " ") }

  /// The commands of `$BROWSER`, separated by colons.
  static func list(_ variable: String) -> [BrowserCommand] {
    variable.split(at: ":").compactMap { BrowserCommand($0) }
  }

  /// Replaces `%s`, and a desktop entry's `%u` and `%U`, with the address, or appends it; `%%` is a percent sign.
  func arguments(for address: WebURL) -> [String] {
    var isReplaced = false
    let filled = arguments.map { argument in
      var result: [UInt8] = []
      var rest = argument.utf8[...]
      while let byte = rest.popFirst() {
        if byte == UInt8(ascii: "%"), let next = rest.first, "suU".utf8.contains(next) {
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
