import Core

/// An application's desktop entry, as far as opening an address needs it (Desktop Entry Specification 1.5).
struct DesktopEntry: Sendable {
  /// Its file's name without `.desktop`, such as `org.mozilla.firefox`.
  let id: String
  let name: String
  /// The program and its arguments; nil where the line cannot be used.
  let command: ExecLine?
  /// Looked for before the entry is shown.
  let tryExec: String?
  let handlesHTTPS: Bool
  /// Whether it counts as not installed.
  let isHidden: Bool

  /// Reads a file's content; nil when it is no application's entry.
  init?(id: String, _ file: KeyFile) {
    guard let group = file["Desktop Entry"], group["Type"] == nil || group["Type"] == "Application" else { return nil }
    self.id = id
    name = group["Name"].flatMap { $0.isEmpty ? nil : $0 } ?? id
    command = group["Exec"].flatMap { ExecLine($0) }
    tryExec = group["TryExec"]
    handlesHTTPS = group["MimeType"]?.semicolonList.contains("x-scheme-handler/https") == true
    isHidden = group["Hidden"] == "true"
  }
}

/// The value of `Exec`: a program and its arguments, one of which may stand for the address.
struct ExecLine: Sendable, Equatable {
  var program: String
  /// Without field codes; `nil` is the place of the address.
  var arguments: [String?]

  /// Reads the value; nil when it has no program, or a quote is not closed.
  init?(_ value: String) {
    guard let words = Self.words(Self.unescaped(Array(value.utf8))) else { return nil }
    var arguments: [String?] = []
    for word in words {
      guard let argument = Self.argument(word) else { continue }
      arguments.append(argument == Self.address ? nil : String(decoding: argument, as: UTF8.self))
    }
    guard case .some(.some(let program)) = arguments.first, !program.isEmpty else { return nil }
    self.program = program
    self.arguments = Array(arguments.dropFirst())
  }

  private static let address: [UInt8] = [0]

  /// A word without its field codes; nil when it was one that stands for nothing here, such as an icon.
  private static func argument(_ word: [UInt8]) -> [UInt8]? {
    if word.count == 2, word[0] == UInt8(ascii: "%") {
      switch word[1] {
      case UInt8(ascii: "u"), UInt8(ascii: "U"), UInt8(ascii: "f"), UInt8(ascii: "F"): return address
      case UInt8(ascii: "%"): return [UInt8(ascii: "%")]
      default: return nil
      }
    }
    var result: [UInt8] = []
    var rest = word[...]
    while let byte = rest.popFirst() {
      if byte != UInt8(ascii: "%") {
        result.append(byte)
      } else if rest.popFirst() == UInt8(ascii: "%") {
        result.append(byte)
      }
    }
    return result
  }

  /// The escapes of every string in a desktop entry.
  private static func unescaped(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), let next = rest.popFirst() else {
        result.append(byte)
        continue
      }
      switch next {
      case UInt8(ascii: "s"): result.append(0x20)
      case UInt8(ascii: "n"): result.append(0x0A)
      case UInt8(ascii: "t"): result.append(0x09)
      case UInt8(ascii: "r"): result.append(0x0D)
      case UInt8(ascii: "\\"): result.append(next)
      default: result += [byte, next]
      }
    }
    return result
  }

  /// Words apart from each other by blanks; double quotes keep one together, in which a backslash escapes.
  private static func words(_ bytes: [UInt8]) -> [[UInt8]]? {
    var words: [[UInt8]] = []
    var word: [UInt8] = []
    var (isInWord, isQuoted) = (false, false)
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\""): (isInWord, isQuoted) = (true, !isQuoted)
      case UInt8(ascii: "\\") where isQuoted:
        guard let next = rest.popFirst() else { return nil }
        word.append(next)
      case 0x20 where !isQuoted, 0x09 where !isQuoted:
        if isInWord { words.append(word) }
        word.removeAll()
        isInWord = false
      case 0: return nil
      default:
        word.append(byte)
        isInWord = true
      }
    }
    guard !isQuoted else { return nil }
    if isInWord { words.append(word) }
    return words
  }
}
