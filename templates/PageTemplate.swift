internal import Core

/// A page's document and style: the built-in ones, or a person's own.
///
/// Only the template's own text is raw. Every value is escaped where it is filled in, except the style, whose hash the
/// content security policy names, and the logo's element, which this module writes.
package struct PageTemplate: Sendable, Equatable {
  /// Bytes of each of the two files, more than any page needs.
  package static let maximumSize = 64 << 10

  /// HTML with placeholders in double braces.
  let document: String
  let style: String

  /// The template that is part of the program.
  package static let builtIn = PageTemplate(
    document: Template.string(PackageResources.page_html),
    style: Template.string(PackageResources.style_css)
  )

  /// The two files of a template.
  package enum File: String, Sendable, CaseIterable {
    case document = "page.html"
    case style = "style.css"
  }

  /// Why a file is no template.
  package struct Invalid: Error, Sendable, Equatable {
    package let file: File
    /// The line, from 1; nil where something is missing or the file as a whole is wrong.
    package let line: Int?
    /// What is wrong, as the end of a sentence that begins with the file.
    package let what: String
  }

  /// What a page cannot do without: otherwise nobody would learn who signed in, or what failed.
  private static let required = ["style", "title", "lead", "name", "next", "message", "code"]
  /// What a page may also show.
  private static let optional = [
    "accent", "application", "correlation", "icon", "kind", "language", "logo", "on_accent", "support", "time",
  ]
  /// The style's one place: the policy's hash is that of the whole element's text.
  private static let styleElement = "<style>{{style}}</style>"

  private init(document: String, style: String) {
    self.document = document
    self.style = style
  }

  /// Checks a template.
  ///
  /// - Parameters:
  ///   - document: What `page.html` holds; nil for the built-in one.
  ///   - style: What `style.css` holds; nil for the built-in one.
  /// - Throws: ``Invalid``.
  package init(document: [UInt8]?, style: [UInt8]?) throws(Invalid) {
    self.document = try document.map { bytes throws(Invalid) in try Self.document(bytes) } ?? Self.builtIn.document
    self.style = try style.map { bytes throws(Invalid) in try Self.style(bytes) } ?? Self.builtIn.style
  }

  private static func document(_ bytes: [UInt8]) throws(Invalid) -> String {
    let document = try string(bytes, of: .document)
    var missing = required
    var line = 1
    var rest = document[...]
    while let open = rest.firstRange(of: "{{") {
      line += rest[..<open.lowerBound].lineBreaks
      guard let close = rest[open.upperBound...].firstRange(of: "}}"),
        rest[open.upperBound..<close.lowerBound].utf8.allSatisfy({ $0 != 0x0A && $0 != UInt8(ascii: "{") })
      else { throw Invalid(file: .document, line: line, what: "has {{ without }}") }
      let name = String(rest[open.upperBound..<close.lowerBound])
      guard (required + optional).contains(name) else {
        let meant = nearest(to: name, in: required + optional).map { ", perhaps for {{\($0)}}" } ?? ""
        throw Invalid(
          file: .document,
          line: line,
          what: "has an unknown placeholder {{\(name.printable(limit: 40))}}\(meant)"
        )
      }
      if name == "style", !missing.contains(name) {
        throw Invalid(file: .document, line: line, what: "has {{style}} a second time")
      }
      missing.removeAll { $0 == name }
      rest = rest[close.upperBound...]
    }
    if let name = missing.first { throw Invalid(file: .document, line: nil, what: "lacks the placeholder {{\(name)}}") }
    guard document.firstRange(of: styleElement) != nil else {
      throw Invalid(file: .document, line: nil, what: "has {{style}} elsewhere than in \(styleElement)")
    }
    return document
  }

  private static func style(_ bytes: [UInt8]) throws(Invalid) -> String {
    let style = try string(bytes, of: .style)
    if let end = style.lowercased().firstRange(of: "</style") {
      let line = 1 + style.lowercased()[..<end.lowerBound].lineBreaks
      throw Invalid(file: .style, line: line, what: "has </style, which would end the element it stands in")
    }
    return style
  }

  /// A file as a browser reads it: the hash in the policy is that of line feeds, whatever the file's line breaks are
  /// (HTML §13.2.3.5).
  private static func string(_ bytes: [UInt8], of file: File) throws(Invalid) -> String {
    guard bytes.count <= maximumSize else {
      throw Invalid(file: file, line: nil, what: "is larger than \(maximumSize >> 10) KiB")
    }
    var normalized: [UInt8] = []
    normalized.reserveCapacity(bytes.count)
    var line = 1
    var follows: UInt8 = 0
    for byte in bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...] {
      defer { follows = byte }
      if byte == 0x0A, follows == 0x0D { continue }
      normalized.append(byte == 0x0D ? 0x0A : byte)
      if byte == 0x0D || byte == 0x0A { line += 1 }
      guard byte >= 0x20 && byte != 0x7F || [0x09, 0x0A, 0x0C, 0x0D].contains(byte) else {
        throw Invalid(file: file, line: line, what: "has a control character")
      }
    }
    guard String(validating: normalized, as: UTF8.self) != nil else {
      let lines = normalized.split(separator: 0x0A, omittingEmptySubsequences: false)
      let broken = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil }
      throw Invalid(file: file, line: broken.map { $0 + 1 }, what: "is not UTF-8")
    }
    return Template.string(normalized)
  }
}

extension Substring {
  fileprivate var lineBreaks: Int { utf8.count { $0 == 0x0A } }
}
