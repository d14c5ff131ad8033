import Core
import FoundationEssentials

extension WebURL {
  /// Checks a URL that is passed to another program, whatever was checked before.
  ///
  /// Openers are shell scripts, and an authorization endpoint may come from a stranger's metadata (CVE-2025-6514).
  ///
  /// - Parameter url: `https`, or `http` to a loopback host.
  /// - Throws: ``BrowserError/refused(_:)``.
  init(opening url: URL) throws(BrowserError) {
    // Never an option: it begins with a lower-case scheme.
    let string = url.absoluteString
    guard string.hasPrefix("https://") || string.hasPrefix("http://") else {
      throw .refused("only https addresses are opened, not \(string.printable(limit: 60))")
    }
    do {
      try self.init(string, .browser)
    } catch {
      throw .refused("the address \(error.reason)")
    }
  }
}
