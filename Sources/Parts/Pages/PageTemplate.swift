package import MSAuthCore

/// A page's document and style: the built-in ones, or the user's.
///
/// Only the template's text is raw. Values are escaped when filled in, except the style, whose hash the content security
/// policy names, and the logo's element, which this module writes.
package struct PageTemplate: Sendable, Equatable {
  /// Limits each of the two files, in bytes.
  package static let maximumSize = 64 << 10

  let document: String
  let style: String

  package static let builtIn = PageTemplate(
    document: string(PackageResources.page_html),
    style: string(PackageResources.style_css)
  )

  package enum File: String, Sendable, CaseIterable {
    case document = "page.html"
    case style = "style.css"
  }

  /// What a document's `{{…}}` stand for.
  enum Placeholder: String, CaseIterable {
    case style, title, lead, name, next, message, code
    case accent, application, correlation, icon, kind, language, logo
    case onAccent = "on_accent"
    case support, time, trace

    /// Those without which a page couldn't show who signed in or what failed.
    static let required: [Placeholder] = [.style, .title, .lead, .name, .next, .message, .code]
  }

  /// The policy's hash covers all of the element's text, so it must contain nothing else.
  private static let styleElement = "<style>{{style}}</style>"

  private static func document(_ bytes: [UInt8]) throws(Rejection) -> String {
    let document = try string(bytes, of: .document)
    var missing = Placeholder.required
    var line = 1
    var rest = document[...]
    while let open = rest.firstRange(of: "{{") {
      line += rest[..<open.lowerBound].lineBreaks
      guard let close = rest[open.upperBound...].firstRange(of: "}}"),
        rest[open.upperBound..<close.lowerBound].utf8.allSatisfy({ $0 != 0x0A && $0 != UInt8(ascii: "{") })
      else { throw invalid(.document, line: line, "has {{ without }}") }
      let name = String(rest[open.upperBound..<close.lowerBound])
      guard let placeholder = Placeholder(rawValue: name) else {
        let known = Placeholder.allCases.map(\.rawValue)
        let suggestion = nearest(to: name, in: known).map { ", perhaps for {{\($0)}}" } ?? ""
        throw invalid(.document, line: line, "has an unknown placeholder {{\(name.printable(limit: 40))}}\(suggestion)")
      }
      if placeholder == .style, !missing.contains(.style) {
        throw invalid(.document, line: line, "has a second {{style}}")
      }
      missing.removeAll { $0 == placeholder }
      rest = rest[close.upperBound...]
    }
    if let placeholder = missing.first {
      throw invalid(.document, "lacks the placeholder {{\(placeholder.rawValue)}}")
    }
    guard document.firstRange(of: styleElement) != nil else {
      throw invalid(.document, "has {{style}} outside \(styleElement)")
    }
    return document
  }

  private static func style(_ bytes: [UInt8]) throws(Rejection) -> String {
    let style = try string(bytes, of: .style)
    if let end = style.lowercased().firstRange(of: "</style") {
      let line = 1 + style.lowercased()[..<end.lowerBound].lineBreaks
      throw invalid(.style, line: line, "has </style, which would end the style element")
    }
    return style
  }

  private static func invalid(_ file: File, line: Int? = nil, _ what: String) -> Rejection {
    Rejection("\(file.rawValue)\(line.map { ", line \($0)," } ?? "") \(what)")
  }

  /// Normalizes line breaks as a browser does before it checks the style's hash (HTML §13.2.3.5).
  private static func string(_ bytes: [UInt8], of file: File) throws(Rejection) -> String {
    guard bytes.count <= maximumSize else {
      throw invalid(file, "is larger than \(maximumSize >> 10) KiB")
    }
    let content = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    let normalized = zip([0] + content, content).compactMap { previous, byte -> UInt8? in
      if byte == 0x0A, previous == 0x0D { nil } else { byte == 0x0D ? 0x0A : byte }
    }
    for (index, line) in normalized.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
      guard line.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 || $0 == 0x0C }) else {
        throw invalid(file, line: index + 1, "has a control character")
      }
      guard String(validating: line, as: UTF8.self) != nil else {
        throw invalid(file, line: index + 1, "isn't UTF-8")
      }
    }
    return string(normalized)
  }
}

extension PageTemplate {
  /// Checks the user's files; `nil` means the built-in file.
  package init(document: [UInt8]?, style: [UInt8]?) throws(Rejection) {
    self.document = try document.map { bytes throws(Rejection) in try Self.document(bytes) } ?? Self.builtIn.document
    self.style = try style.map { bytes throws(Rejection) in try Self.style(bytes) } ?? Self.builtIn.style
  }

  /// An embedded file without trailing line breaks.
  static func string(_ file: [UInt8]) -> String {
    var string = String(decoding: file, as: UTF8.self)
    while string.last == "\n" { string.removeLast() }
    return string
  }

  /// Replaces `{{name}}` in a document, and removes names without a value; inserted values aren't scanned again.
  ///
  /// Trusted values are inserted unchanged, untrusted ones as one line of printable, escaped text.
  static func filled(
    _ document: String,
    _ trusted: [Placeholder: String],
    _ untrusted: [Placeholder: String]
  ) -> String {
    var filled = ""
    var rest = document[...]
    while let open = rest.firstRange(of: "{{"), let close = rest[open.upperBound...].firstRange(of: "}}") {
      filled += rest[..<open.lowerBound]
      if let placeholder = Placeholder(rawValue: String(rest[open.upperBound..<close.lowerBound])) {
        let value = untrusted[placeholder] ?? ""
        filled += trusted[placeholder] ?? value.printable(limit: maximumLength).escapedForHTML
      }
      rest = rest[close.upperBound...]
    }
    return filled + rest
  }

  /// In characters: enough for a provider's error description, too few to push the rest off the screen.
  private static let maximumLength = 400
}

extension Substring {
  fileprivate var lineBreaks: Int { utf8.count { $0 == 0x0A } }
}
