import MSAuthCore

/// A browser's desktop entry (Desktop Entry Specification 1.5).
struct DesktopEntry: Sendable {
  static let https = "x-scheme-handler/https"

  /// The file's name without `.desktop`, such as `org.mozilla.firefox`.
  let id: String
  let name: String
  let command: BrowserCommand
  /// A program that must exist.
  let tryExec: String?

  /// `nil` unless it is a visible application that opens https addresses.
  init?(id: String, _ file: KeyFile) {
    guard let group = file["Desktop Entry"], group["Type"] ?? "Application" == "Application", group["Hidden"] != "true",
      group["MimeType"]?.split(at: ";").contains(Self.https) == true,
      let command = group["Exec"].flatMap({ BrowserCommand(exec: $0) })
    else { return nil }
    self.id = id
    self.command = command
    name = group["Name"].flatMap { $0.isEmpty ? nil : $0 } ?? id
    tryExec = group["TryExec"]
  }
}

extension BrowserCommand {
  /// Parses an entry's `Exec`, and writes the field code of the address as `%s`; `nil` if there is no program or a quote is
  /// not closed.
  init?(exec value: String) {
    guard !value.utf8.contains(0), let words = Self.words(Self.unescaped(value.utf8)) else { return nil }
    let parts = words.compactMap { word in
      switch word {
      case "%u", "%U", "%f", "%F": "%s"
      case "%%": word
      // A field code without a value here, such as an icon.
      default: word.utf8.count == 2 && word.utf8.first == UInt8(ascii: "%") ? nil : Self.withoutFieldCodes(word)
      }
    }
    guard let program = parts.first, !program.isEmpty, program != "%s" else { return nil }
    self.init(program.replacingBytes("%%", with: "%"), Array(parts.dropFirst()))
  }

  private static func withoutFieldCodes(_ word: String) -> String {
    var result: [UInt8] = []
    var rest = word.utf8[...]
    while let byte = rest.popFirst() {
      if byte != UInt8(ascii: "%") {
        result.append(byte)
      } else if rest.popFirst() == byte {
        result += [byte, byte]
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static let escapes: [UInt8: UInt8] = [
    UInt8(ascii: "s"): 0x20, UInt8(ascii: "n"): 0x0A, UInt8(ascii: "t"): 0x09, UInt8(ascii: "r"): 0x0D,
    UInt8(ascii: "\\"): UInt8(ascii: "\\"),
  ]

  /// Replaces the escapes of every string in a desktop entry.
  private static func unescaped(_ bytes: String.UTF8View) -> [UInt8] {
    var result: [UInt8] = []
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), let next = rest.popFirst() else {
        result.append(byte)
        continue
      }
      result += escapes[next].map { [$0] } ?? [byte, next]
    }
    return result
  }
}
