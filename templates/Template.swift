internal import MSAuthCore

/// Replaces `{{name}}` in a document; inserted values are not scanned again.
enum Template {
  /// An embedded file without trailing line breaks.
  static func string(_ file: [UInt8]) -> String {
    var string = String(decoding: file, as: UTF8.self)
    while string.last == "\n" { string.removeLast() }
    return string
  }

  /// Inserts trusted values unchanged; untrusted values become one line of printable, escaped text.
  ///
  /// A name without a value is removed.
  static func fill(_ document: String, _ trusted: [String: String], _ untrusted: [String: String]) -> String {
    var filled = ""
    var rest = document[...]
    while let open = rest.firstRange(of: "{{"), let close = rest[open.upperBound...].firstRange(of: "}}") {
      let name = String(rest[open.upperBound..<close.lowerBound])
      filled += rest[..<open.lowerBound]
      filled += trusted[name] ?? (untrusted[name] ?? "").printable(limit: maximumLength).escapedForHTML
      rest = rest[close.upperBound...]
    }
    return filled + rest
  }

  /// In characters: enough for a provider's error description, too few to push the rest off the screen.
  private static let maximumLength = 400
}
