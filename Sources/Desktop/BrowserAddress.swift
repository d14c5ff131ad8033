import FoundationEssentials
import Core

/// A URL that may be passed to another program.
///
/// It is checked here again, whatever was checked before: openers are shell scripts, and an authorization endpoint may
/// come from a stranger's metadata (CVE-2025-6514).
struct BrowserAddress: Equatable {
  /// Visible ASCII, beginning with `http`: never an option, never more than one word.
  let string: String

  /// An authorization request takes about one kilobyte, with claims a few; Linux ends an argument at 128.
  static let maximumBytes = 32 << 10

  /// Checks a URL.
  ///
  /// - Throws: ``BrowserError/refused(_:)``.
  init(_ url: URL) throws(BrowserError) {
    let string = url.absoluteString
    guard string.utf8.count <= Self.maximumBytes else {
      throw .refused("the address is longer than \(Self.maximumBytes) bytes")
    }
    // What RFC 3986 has no place for: blanks, control characters, quotes, backslash, backtick, braces, pipe, caret.
    guard string.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"\"<>\\^`{|}".utf8.contains($0) }) else {
      throw .refused("the address has characters that no URL has")
    }
    let isSecure = string.hasPrefix("https://")
    guard isSecure || string.hasPrefix("http://") else {
      throw .refused("only https addresses are opened, not \(string.printable(limit: 60))")
    }
    let authority = string.dropFirst(isSecure ? 8 : 7).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    guard !authority.isEmpty, !authority.contains("@") else {
      throw .refused("the address has no host, or a user part: \(string.printable(limit: 60))")
    }
    guard isSecure || Self.isLoopback(authority) else {
      throw .refused("http addresses are opened on this computer alone, not at \(authority.lowercased())")
    }
    self.string = string
  }

  private static func isLoopback(_ authority: Substring) -> Bool {
    if authority == "[::1]" || authority.hasPrefix("[::1]:") { return true }
    let host = authority.prefix { $0 != ":" }.lowercased()
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return host == "localhost"
      || parts.count == 4 && parts[0] == "127"
        && parts.allSatisfy { part in UInt8(part).map { String($0) == part } ?? false }
  }
}
