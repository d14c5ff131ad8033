internal import FoundationEssentials
internal import Glibc
internal import MSAuthCore
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

  package static let builtIn = PageDesign()

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
  private let red, green, blue: UInt8

  /// The icon's color if the application sets none.
  static let standard = AccentColor(red: 0x23, green: 0x49, blue: 0x7F)

  private init(red: UInt8, green: UInt8, blue: UInt8) {
    (self.red, self.green, self.blue) = (red, green, blue)
  }

  /// Parses `#rrggbb`, in either case.
  package init?(_ string: String) {
    let bytes = Array(string.utf8)
    guard bytes.count == 7, bytes[0] == UInt8(ascii: "#") else { return nil }
    let digits = bytes.dropFirst().compactMap(\.hexDigitValue)
    guard digits.count == 6 else { return nil }
    let channels = [0, 2, 4].map { digits[$0] << 4 | digits[$0 + 1] }
    self.init(red: channels[0], green: channels[1], blue: channels[2])
  }

  var digits: String { [red, green, blue].hexadecimal }

  /// Black or white, whichever has more contrast: always at least 4.58:1, above the 4.5:1 of WCAG 2.2 §1.4.3 (AA).
  var inkDigits: String {
    // (L + 0.05) / 0.05 is the contrast with black, 1.05 / (L + 0.05) the contrast with white.
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
