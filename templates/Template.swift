internal import FoundationEssentials
internal import Core

/// Fills `{{name}}` in a document, once: what is filled in is not looked at again.
enum Template {
  /// The text of an embedded file, without the line break that ends it.
  static func text(_ file: [UInt8]) -> String {
    var text = String(decoding: file, as: UTF8.self)
    while text.last == "\n" { text.removeLast() }
    return text
  }

  /// Fills a document.
  ///
  /// - Parameters:
  ///   - document: Text with names in double braces.
  ///   - own: Values of ours, which stand as they are.
  ///   - outside: All other values, which are made one line of printable text and escaped.
  /// - Returns: The document; a name without a value is left out.
  static func fill(_ document: String, _ own: [String: String], _ outside: [String: String]) -> String {
    var filled = ""
    var rest = document[...]
    while let open = rest.firstRange(of: "{{"), let close = rest[open.upperBound...].firstRange(of: "}}") {
      let name = String(rest[open.upperBound..<close.lowerBound])
      filled += rest[..<open.lowerBound]
      filled += own[name] ?? (outside[name] ?? "").printable(limit: longest).escapedForHTML
      rest = rest[close.upperBound...]
    }
    return filled + rest
  }

  /// Characters kept of a value: enough for a provider's error description, too few to push the rest off the screen.
  private static let longest = 400
}

/// Base64 with its standard alphabet and padding, as content security policies spell hashes (W3C CSP 3 §2.3.1).
enum Base64 {
  static func encode(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
}
