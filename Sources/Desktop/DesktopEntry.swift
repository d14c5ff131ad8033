import MSAuthCore

/// The parts of an application's desktop entry that opening an address needs (Desktop Entry Specification 1.5).
struct DesktopEntry: Sendable {
  /// The file's name without `.desktop`, such as `org.mozilla.firefox`.
  let id: String
  let name: String
  /// nil if the line is invalid.
  let command: ExecLine?
  /// A program that must exist.
  let tryExec: String?
  let handlesHTTPS: Bool
  let isHidden: Bool

  /// nil if it isn't an application's entry.
  init?(id: String, _ file: KeyFile) {
    guard let group = file["Desktop Entry"], group["Type"] == nil || group["Type"] == "Application" else { return nil }
    self.id = id
    name = group["Name"].flatMap { $0.isEmpty ? nil : $0 } ?? id
    command = group["Exec"].flatMap { ExecLine($0) }
    tryExec = group["TryExec"]
    handlesHTTPS = group["MimeType"]?.split(at: ";").contains("x-scheme-handler/https") == true
    isHidden = group["Hidden"] == "true"
  }
}

struct ExecLine: Sendable, Equatable {
  var program: String
  /// Without field codes; `nil` stands for the address.
  var arguments: [String?]

  /// nil if there is no program or a quote is not closed.
  init?(_ value: String) {
    guard !value.utf8.contains(0), let words = BrowserCommand.words(Self.unescaped(value.utf8)) else { return nil }
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

  /// A word without its field codes; nil if it was one without a value here, such as an icon.
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
  private static func unescaped(_ bytes: String.UTF8View) -> [UInt8] {
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
}
