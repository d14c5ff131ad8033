internal import Core
internal import Glibc
internal import LibCrypto

/// How the pages look: a template, and an application's logo and accent colour.
package struct PageDesign: Sendable {
  let document: String
  /// The template's style, with the accent colour's properties after it.
  let style: String
  /// The hash source of the style, `sha256-…`.
  let styleSource: String
  /// The logo's element; empty without one.
  let logo: String
  /// Six hexadecimal digits: the colour behind the window's icon.
  let accent: String
  /// The colour on it.
  let onAccent: String

  /// The built-in template, without logo and accent colour.
  package static let builtIn = PageDesign()

  /// - Parameters:
  ///   - template: The document and its style.
  ///   - logo: The logo, if there is one.
  ///   - accent: The accent colour, if there is one.
  package init(template: PageTemplate = .builtIn, logo: PageLogo? = nil, accent: AccentColor? = nil) {
    document = template.document
    let properties = accent.map { "\n:root{--accent:#\($0.digits);--on-accent:#\($0.inkDigits)}" }
    style = template.style + (properties ?? "")
    styleSource = "sha256-" + Base64.encode(Digest.sha256.hash(Array(style.utf8)))
    // The name beside it says the same.
    self.logo = logo.map { "<img class=\"logo\" src=\"\($0.dataURI)\" alt=\"\">" } ?? ""
    let shown = accent ?? .standard
    self.accent = shown.digits
    onAccent = shown.inkDigits
  }
}

/// A colour of an application's own, as the ground of text.
package struct AccentColor: Sendable, Hashable {
  private let red, green, blue: UInt8

  /// The colour of the icon where the application has none.
  static let standard = AccentColor(red: 0x23, green: 0x49, blue: 0x7F)

  private init(red: UInt8, green: UInt8, blue: UInt8) {
    (self.red, self.green, self.blue) = (red, green, blue)
  }

  /// Reads a colour.
  ///
  /// - Parameter string: `#rrggbb`, in either case; nil results from anything else.
  package init?(_ string: String) {
    let bytes = Array(string.utf8)
    guard bytes.count == 7, bytes[0] == UInt8(ascii: "#") else { return nil }
    let digits = bytes.dropFirst().compactMap(\.hexDigitValue)
    guard digits.count == 6 else { return nil }
    let channels = [0, 2, 4].map { digits[$0] << 4 | digits[$0 + 1] }
    self.init(red: channels[0], green: channels[1], blue: channels[2])
  }

  var digits: String { [red, green, blue].hexadecimal }

  /// Black or white, whichever is contrasted more; it is 4.58:1 at least, above the 4.5:1 of WCAG 2.2 §1.4.3 (AA).
  var inkDigits: String {
    // (L + 0.05) / 0.05 against 1.05 / (L + 0.05).
    (luminance + 0.05) * (luminance + 0.05) > 1.05 * 0.05 ? "000000" : "ffffff"
  }

  /// The relative luminance (WCAG 2.2).
  private var luminance: Double {
    let channels = [red, green, blue].map { channel in
      let value = Double(channel) / 255
      return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]
  }
}
