import Pages

extension ClientConfiguration {
  /// An application's logo and accent colour, for the pages in the browser.
  public struct Appearance: Sendable, Hashable {
    /// The path of a PNG or an SVG of up to 64 KiB, which only this user and root may write.
    ///
    /// It is read at every sign-in. One that cannot be used is left out, and the log has a warning.
    public let logo: String?
    /// The ground of the application's name, as `#rrggbb`.
    ///
    /// The name is black or white on it, whichever is contrasted more; that is 4.5:1 or more on every colour.
    public let accentColor: String?

    let accent: AccentColor?

    /// Makes an appearance.
    ///
    /// - Parameters:
    ///   - logo: The path of the logo's file.
    ///   - accentColor: The accent colour, as `#rrggbb`.
    /// - Throws: ``AuthenticationError`` with the reason `accent_color_invalid`.
    public init(logo: String? = nil, accentColor: String? = nil) throws(AuthenticationError) {
      self.logo = logo
      self.accentColor = accentColor
      accent = accentColor.flatMap(AccentColor.init)
      guard accentColor == nil || accent != nil else {
        throw AuthenticationError(
          .invalidConfiguration,
          "the accent colour is not one such as #23497f",
          reason: "accent_color_invalid"
        )
      }
    }
  }
}
