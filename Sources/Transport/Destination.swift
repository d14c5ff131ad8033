import Core

/// Where a request goes, read from its URL by a grammar narrower than RFC 3986.
///
/// What two parsers could read in two ways is refused here (a user part, a backslash, an escaped host), so that libcurl
/// asks the host that was checked and no other.
struct Destination: Equatable {
  let isSecure: Bool
  /// Lower case; an IPv6 address in its brackets.
  let host: String
  let port: Int
  /// The URL up to its query, for log lines.
  let withoutQuery: String

  /// A claims request or a long Graph query stays well below; servers refuse more.
  static let urlLimit = 16 << 10

  /// Host and port for messages.
  var name: String { "\(host):\(port)" }

  var isLoopback: Bool { Destination.isLoopback(host) }

  /// Reads and checks a URL.
  ///
  /// - Throws: ``TransportError`` of kind `refused`, which names what is wrong.
  init(_ url: String) throws(TransportError) {
    guard url.utf8.count <= Destination.urlLimit else {
      throw Destination.refusal("the URL is longer than \(Destination.urlLimit) bytes")
    }
    guard url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }) else {
      throw Destination.refusal("the URL has a blank, a control character, a backslash or a letter outside ASCII")
    }
    let lower = url.lowercased()
    let isSecure = lower.hasPrefix("https://")
    guard isSecure || lower.hasPrefix("http://") else {
      throw Destination.refusal("the URL's scheme is neither https nor http: \(url.printable(limit: 60))")
    }
    guard !url.contains("#") else { throw Destination.refusal("the URL has a fragment") }
    let afterScheme = lower.dropFirst(isSecure ? 8 : 7)
    let authority = afterScheme.prefix { $0 != "/" && $0 != "?" }
    guard !authority.contains("@") else { throw Destination.refusal("the URL has a user part") }

    let host: Substring
    if authority.first == "[" {
      guard let end = authority.firstIndex(of: "]") else {
        throw Destination.refusal("the URL's IPv6 address has no closing bracket")
      }
      host = authority[...end]
      guard host.dropFirst().dropLast().allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }), host.count > 3 else {
        throw Destination.refusal("the URL's IPv6 address is malformed: \(host)")
      }
    } else {
      host = authority.prefix { $0 != ":" }
      // Letters, digits, hyphen, dot (RFC 952), and the underscore that some resolvers serve.
      guard !host.isEmpty, host.utf8.allSatisfy(Destination.isHostByte), host.utf8.first != UInt8(ascii: "-") else {
        throw Destination.refusal("the URL's host is missing or malformed: \(authority)")
      }
    }
    let rest = authority[host.endIndex...]
    if rest.isEmpty {
      port = isSecure ? 443 : 80
    } else {
      let digits = rest.dropFirst()
      guard rest.first == ":", digits.allSatisfy(\.isNumber), let number = Int(digits), (1...65535).contains(number)
      else { throw Destination.refusal("the URL's port is not a number from 1 to 65535: \(authority)") }
      port = number
    }
    self.isSecure = isSecure
    self.host = String(host)
    self.withoutQuery = String(url.prefix { $0 != "?" })
    guard isSecure || isLoopback else {
      // RFC 6749 §3.1, §3.2: the endpoints of a provider require TLS.
      throw TransportError(
        .refused,
        host: name,
        message: "http is for this computer alone (127.0.0.0/8, ::1, localhost); \(name) has to be asked by https"
      )
    }
  }

  /// Whether a host is this computer, by its literal spelling: no name is resolved, and none of the shorthand spellings
  /// of an IPv4 address counts (`127.1`, `0x7f000001`).
  static func isLoopback(_ host: String) -> Bool {
    if host == "localhost" || host == "[::1]" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127"
      && parts.allSatisfy { part in UInt8(part).map { String($0) == part } ?? false }
  }

  private static func isHostByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
    default: false
    }
  }

  private static func refusal(_ reason: String) -> TransportError {
    TransportError(.refused, host: "", message: reason)
  }
}
