internal import FoundationEssentials
internal import Core

/// Replaces `{{name}}` in a document, once: replaced text is not scanned again.
enum Template {
  /// An embedded file as a string, without trailing line breaks.
  static func string(_ file: [UInt8]) -> String {
    var string = String(decoding: file, as: UTF8.self)
    while string.last == "\n" { string.removeLast() }
    return string
  }

  /// Fills a document.
  ///
  /// - Parameters:
  ///   - document: HTML with names in double braces.
  ///   - trusted: Values that are inserted unchanged.
  ///   - untrusted: All other values, which are made one line of printable text and escaped.
  /// - Returns: The document; a name without a value is removed.
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

  /// Characters kept of a value: enough for a provider's error description, too few to push the rest off the screen.
  private static let maximumLength = 400
}

/// Base64 with its standard alphabet and padding, as content security policies spell hashes (W3C CSP 3 §2.3.1).
enum Base64 {
  static func encode(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
}
