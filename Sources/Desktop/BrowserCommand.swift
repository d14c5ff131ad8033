/// A command that opens a browser, as `--browser` or an entry of `$BROWSER` spells it.
struct BrowserCommand: Equatable, Sendable {
  /// The program and its arguments, `%s` still in them.
  let words: [String]

  init(words: [String]) {
    self.words = words
  }

  /// Splits a command into words as a shell would, without one: blanks part words; quotes and backslashes hold together.
  ///
  /// - Returns: nil when there is no word, or a quote is not closed.
  init?(_ text: String) {
    var words: [String] = []
    var word: String?
    var quote: Character?
    var isEscaped = false
    for character in text {
      if isEscaped {
        word = (word ?? "") + String(character)
        isEscaped = false
      } else if character == "\\", quote != "'" {
        isEscaped = true
      } else if character == quote {
        quote = nil
      } else if quote == nil, character == "'" || character == "\"" {
        quote = character
        word = word ?? ""
      } else if quote == nil, character == " " || character == "\t" {
        if let word { words.append(word) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    guard quote == nil, !isEscaped else { return nil }
    if let word { words.append(word) }
    guard let program = words.first, !program.isEmpty else { return nil }
    self.words = words
  }

  /// The commands of `$BROWSER`, which are parted by colons.
  static func list(_ variable: String) -> [BrowserCommand] {
    variable.split(separator: ":").compactMap { BrowserCommand(String($0)) }
  }

  /// The argument vector for an address: `%s` is replaced, `%%` is a percent sign; without `%s` the address comes last.
  func arguments(for address: BrowserAddress) -> [String] {
    var isPlaced = false
    let filled = words.dropFirst().map { word in
      var text = ""
      var rest = word[...]
      while let sign = rest.firstIndex(of: "%") {
        text += rest[..<sign]
        rest = rest[sign...].dropFirst()
        if rest.first == "s" {
          text += address.text
          isPlaced = true
          rest = rest.dropFirst()
        } else {
          text += "%"
          if rest.first == "%" { rest = rest.dropFirst() }
        }
      }
      return text + rest
    }
    return isPlaced ? filled : filled + [address.text]
  }
}
