package import FoundationEssentials

/// How a person's browser is opened: the seam between msauth and the desktop.
package protocol BrowserOpening: Sendable {
  /// Opens a URL in the browser and returns without waiting for the person.
  ///
  /// - Parameter url: An `https` URL, or `http` to a loopback host.
  /// - Returns: The name of the program that took it. That program's success is assumed, never known.
  /// - Throws: ``BrowserError`` when no program took it.
  func open(_ url: URL) async throws(BrowserError) -> String
}

/// Why no browser was opened.
package enum BrowserError: Error, Sendable, Equatable {
  /// The URL is not one that may be opened; the text says why.
  case refused(String)
  /// No display, and no `$BROWSER` to forward to; the text says which kind of session this is.
  case noDisplay(String)
  /// Every program that was tried is missing or failed: name and reason each.
  case noOpener([String])
}
