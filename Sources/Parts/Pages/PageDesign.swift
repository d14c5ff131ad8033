internal import FoundationEssentials
internal import Glibc
package import MSAuthCore
internal import MSAuthCrypto

/// How the pages look: a template, and an application's logo and accent color.
package struct PageDesign: Sendable {
  let document: String
  /// The template's style, followed by the accent color's properties.
  let style: String
  let styleSource: String
  /// An `img` element, or an empty string.
  let logo: String
  /// The background and foreground of the tab's icon, six hexadecimal digits each.
  let accent, onAccent: String

  static let builtIn = PageDesign()

  package init(template: PageTemplate = .builtIn, logo: PageLogo? = nil, accent: AccentColor? = nil) {
    document = template.document
    let properties = accent.map { "\n:root{--accent:#\($0.digits);--on-accent:#\($0.inkDigits)}" }
    style = template.style + (properties ?? "")
    styleSource = "sha256-" + Data(Digest.sha256.hash(Array(style.utf8))).base64EncodedString()
    // The application's name is next to it, so `alt` is empty.
    self.logo = logo.map { "<img class=\"logo\" src=\"\($0.dataURI)\" alt=\"\">" } ?? ""
    let shown = accent ?? .standard
    self.accent = shown.digits
    onAccent = shown.inkDigits
  }
}

/// An application's color, used behind text.
package struct AccentColor: Sendable, Hashable {
  /// Six lowercase hexadecimal digits.
  let digits: String

  /// The color of the tab's icon without an accent color.
  static let standard = AccentColor(digits: "23497f")

  /// Black or white, whichever has more contrast: always at least 4.58:1, above the 4.5:1 of WCAG 2.2 §1.4.3 (AA).
  var inkDigits: String {
    // (L + 0.05) / 0.05 is the contrast with black, 1.05 / (L + 0.05) the contrast with white.
    (luminance + 0.05) * (luminance + 0.05) > 1.05 * 0.05 ? "000000" : "ffffff"
  }

  private var luminance: Double {
    let color = Int(digits, radix: 16) ?? 0
    let channels = [16, 8, 0].map { shift in
      let value = Double(color >> shift & 0xFF) / 255
      return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]
  }
}

extension AccentColor {
  /// Parses `#rrggbb`, in either case.
  package init?(_ string: String) {
    let digits = string.utf8.dropFirst()
    guard string.utf8.first == UInt8(ascii: "#"), digits.count == 6, digits.allSatisfy({ $0.hexDigitValue != nil })
    else { return nil }
    self.init(digits: string.dropFirst().lowercased())
  }
}

/// An application's logo, embedded in the page.
///
/// An SVG in an `img` element runs no scripts and loads nothing (SVG Integration §3.3, secure static mode).
package struct PageLogo: Sendable, Equatable {
  /// In bytes; every page contains the logo.
  package static let maximumSize = 64 << 10
  /// Limits each side of a PNG: a small file can decompress to any size.
  private static let maximumPixels = 4096

  let dataURI: String

  /// Detects a PNG or an SVG by its content.
  package init(_ bytes: [UInt8]) throws(Rejection) {
    guard bytes.count <= Self.maximumSize else {
      throw Rejection("is larger than \(Self.maximumSize >> 10) KiB")
    }
    let mediaType: String
    if bytes.starts(with: Self.signatureOfPNG) {
      try Self.checkSize(ofPNG: bytes)
      mediaType = "image/png"
    } else if let text = String(validating: bytes, as: UTF8.self), Self.isSVG(text) {
      // Nested entities can expand to any size.
      guard text.firstRange(of: "<!ENTITY") == nil else { throw Rejection("is an SVG that declares entities") }
      mediaType = "image/svg+xml"
    } else {
      throw Rejection("is neither a PNG nor an SVG")
    }
    dataURI = "data:\(mediaType);base64,\(Data(bytes).base64EncodedString())"
  }

  private static let signatureOfPNG: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// The first chunk has width and height (PNG §11.2.1).
  private static func checkSize(ofPNG bytes: [UInt8]) throws(Rejection) {
    guard bytes.count >= 24, Array(bytes[12..<16]) == Array("IHDR".utf8) else {
      throw Rejection("is a truncated PNG")
    }
    let sides = [bytes[16..<20], bytes[20..<24]].map { $0.reduce(0) { $0 << 8 | Int($1) } }
    guard sides.allSatisfy({ (1...maximumPixels).contains($0) }) else {
      throw Rejection("is a PNG of \(sides[0]) by \(sides[1]) pixels, more than \(maximumPixels) on a side")
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
