internal import FoundationEssentials
package import MSAuthCore

/// An application's logo, embedded in the page.
///
/// An SVG in an `img` element runs no scripts and loads nothing (SVG Integration §3.3, secure static mode).
package struct PageLogo: Sendable, Equatable {
  /// In bytes; the logo is part of every page.
  package static let maximumSize = 64 << 10
  /// Limits each side of a PNG: a small file can decompress to any size.
  private static let maximumPixels = 4096

  let dataURI: String

  /// Detects a PNG or an SVG by its content.
  package init(_ bytes: [UInt8]) throws(Refusal) {
    guard bytes.count <= Self.maximumSize else {
      throw Refusal("is larger than \(Self.maximumSize >> 10) KiB")
    }
    let mediaType: String
    if bytes.starts(with: Self.signatureOfPNG) {
      try Self.checkSize(ofPNG: bytes)
      mediaType = "image/png"
    } else if let text = String(validating: bytes, as: UTF8.self), Self.isSVG(text) {
      // Nested entities can expand to any size.
      guard text.firstRange(of: "<!ENTITY") == nil else { throw Refusal("is an SVG that declares entities") }
      mediaType = "image/svg+xml"
    } else {
      throw Refusal("is neither a PNG nor an SVG")
    }
    dataURI = "data:\(mediaType);base64,\(Data(bytes).base64EncodedString())"
  }

  private static let signatureOfPNG: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// The first chunk has width and height (PNG §11.2.1).
  private static func checkSize(ofPNG bytes: [UInt8]) throws(Refusal) {
    guard bytes.count >= 24, Array(bytes[12..<16]) == Array("IHDR".utf8) else {
      throw Refusal("is a truncated PNG")
    }
    let sides = [bytes[16..<20], bytes[20..<24]].map { $0.reduce(0) { $0 << 8 | Int($1) } }
    guard sides.allSatisfy({ (1...maximumPixels).contains($0) }) else {
      throw Refusal("is a PNG of \(sides[0]) by \(sides[1]) pixels, more than \(maximumPixels) on a side")
    }
  }

  /// Whether the first element is `svg`; white space, a byte order mark, a declaration, comments and a document type
  /// may precede it.
  private static func isSVG(_ text: String) -> Bool {
    var rest = text[...].utf8
    if rest.starts(with: "\u{FEFF}".utf8) { rest = rest.dropFirst(3) }
    while true {
      rest = rest.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
      guard let (_, end) = prologue.first(where: { rest.starts(with: $0.start.utf8) }) else { break }
      guard let close = Substring(rest).firstRange(of: end) else { return false }
      rest = Substring(rest)[close.upperBound...].utf8
    }
    let after = rest.dropFirst(4).first
    return rest.starts(with: "<svg".utf8) && after.map { [0x20, 0x09, 0x0A, 0x0D, 0x2F, 0x3E].contains($0) } == true
  }

  private static let prologue: [(start: String, end: String)] = [("<?", "?>"), ("<!--", "-->"), ("<!DOCTYPE", ">")]
}
