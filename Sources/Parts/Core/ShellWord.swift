extension String {
  /// The string as one word of a command in bash, dash, zsh and fish.
  package var shellWord: String { isPlainWord ? self : shellQuoted }

  package var shellQuoted: String {
    guard !isEmpty else { return "''" }
    var (quoted, isOpen) = ([UInt8](), false)
    for byte in utf8 {
      // In fish, a backslash escapes inside single quotes too.
      let isEscaped = byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\\")
      if isOpen == isEscaped {
        quoted.append(UInt8(ascii: "'"))
        isOpen.toggle()
      }
      if isEscaped { quoted.append(UInt8(ascii: "\\")) }
      quoted.append(byte)
    }
    return String(decoding: quoted, as: UTF8.self) + (isOpen ? "'" : "")
  }

  /// Whether the string needs no quotes in a shell; zsh expands a leading `=`, and fish `%self`.
  package var isPlainWord: Bool {
    guard let first = utf8.first, first != UInt8(ascii: "="), self != "%self" else { return false }
    return utf8.allSatisfy { $0.isASCIIAlphanumeric || "@%+=:,./_-".utf8.contains($0) }
  }

  /// A path as an argument of a command, which would read a leading hyphen as an option.
  package var pathArgument: String { utf8.first == UInt8(ascii: "-") ? "./" + self : self }
}

extension [String] {
  /// The words as one line that can be pasted into a shell.
  package var shellCommand: String { map { $0.printable(limit: 4096).shellWord }.joined(separator: " ") }
}

extension [(name: String, value: String)] {
  /// A command that sets these environment variables in a shell.
  package var exportCommand: String { "export " + map { "\($0.name)=\($0.value.shellQuoted)" }.joined(separator: " ") }
}
