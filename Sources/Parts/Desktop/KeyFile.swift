import MSAuthCore
import MSAuthUnix

/// A file of groups and keys: a desktop entry, `mimeapps.list` or Firefox's `profiles.ini`.
struct KeyFile: Sendable {
  private static let maximumLines = 20_000
  private static let blanks = " \t\r"

  /// The first of two equal keys is used, as in the Desktop Entry Specification.
  let groups: [(name: String, values: [String: String])]

  subscript(_ name: String) -> [String: String]? { groups.first { $0.name.isIdentical(to: name) }?.values }

  /// `nil` if the content isn't UTF-8 or has too many lines.
  init?(_ bytes: [UInt8]) {
    guard let text = String(validating: bytes, as: UTF8.self), text.isStreamSafe else { return nil }
    var groups: [(name: String, values: [String: String])] = []
    let lines = text.utf8.split(separator: 0x0A)
    guard lines.count <= Self.maximumLines else { return nil }
    for line in lines {
      let line = line.trimming(Self.blanks)
      guard let first = line.first, first != UInt8(ascii: "#"), first != UInt8(ascii: ";") else { continue }
      if first == UInt8(ascii: "["), line.last == UInt8(ascii: "]") {
        groups.append((String(decoding: line.dropFirst().dropLast(), as: UTF8.self), [:]))
      } else if let sign = line.firstIndex(of: UInt8(ascii: "=")), !groups.isEmpty {
        let key = String(decoding: line[..<sign].trimming(Self.blanks), as: UTF8.self)
        let value = String(decoding: line[line.index(after: sign)...].trimming(Self.blanks), as: UTF8.self)
        if groups[groups.count - 1].values[key] == nil { groups[groups.count - 1].values[key] = value }
      }
    }
    self.groups = groups
  }
}
