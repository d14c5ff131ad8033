/// An `https` or `http` URL, parsed strictly.
///
/// A URL from a configuration, a metadata document or the user ends up in a browser and in requests that carry codes and
/// tokens. What two parsers could read differently (a user part, a backslash, an escaped host) is therefore refused, not
/// repaired.
package struct WebURL: Sendable, Equatable {
  /// What a use of URLs accepts.
  package struct Policy: Sendable, Equatable {
    /// The maximum length in bytes.
    package let maximumBytes: Int
    /// Whether `http` is accepted for other hosts than loopback ones.
    let acceptsRemoteHTTP: Bool
    /// Whether the path may have empty segments (RFC 3986 §3.3).
    let acceptsEmptySegments: Bool
    /// Whether the path may have empty, dot and badly escaped segments.
    let acceptsAnyPath: Bool
    /// Whether visible ASCII outside RFC 3986 is accepted, the backslash excepted.
    let acceptsUnescaped: Bool

    /// An issuer; servers and proxies commonly refuse longer request lines.
    package static let issuer = Policy(
      maximumBytes: 2048,
      acceptsRemoteHTTP: false,
      acceptsEmptySegments: false,
      acceptsAnyPath: false,
      acceptsUnescaped: false
    )
    /// An endpoint, which a provider joins from parts: `https://host//authorize` is what some do.
    package static let endpoint = Policy(
      maximumBytes: 2048,
      acceptsRemoteHTTP: false,
      acceptsEmptySegments: true,
      acceptsAnyPath: false,
      acceptsUnescaped: false
    )
    /// A request's URL; a claims request or a long Graph query stays well below the limit, and servers refuse more.
    ///
    /// Callers check ``isLoopback`` where `http` matters.
    package static let request = Policy(
      maximumBytes: 16 << 10,
      acceptsRemoteHTTP: true,
      acceptsEmptySegments: true,
      acceptsAnyPath: true,
      acceptsUnescaped: true
    )
    /// A URL for a browser; an authorization request with claims takes a few kilobytes, and an argument may have 128.
    package static let browser = Policy(
      maximumBytes: 32 << 10,
      acceptsRemoteHTTP: false,
      acceptsEmptySegments: true,
      acceptsAnyPath: true,
      acceptsUnescaped: false
    )
  }

  /// `https` or `http`.
  package let scheme: String
  /// The host in lower case, an IPv6 address in its brackets.
  package let host: String
  /// The port as written, the scheme's own included.
  package let explicitPort: Int?
  /// The path as written, empty or starting with a slash.
  package let path: String
  /// What follows `?`, without it.
  package let query: String?

  /// Parses a URL.
  package init(_ string: String, _ policy: Policy = .issuer) throws(Refusal) {
    guard !string.isEmpty else { throw Refusal("is empty") }
    guard string.utf8.count <= policy.maximumBytes else {
      throw Refusal("is longer than \(policy.maximumBytes) bytes")
    }
    guard string.utf8.allSatisfy({ policy.accepts($0) }) else {
      throw Refusal("has a character that a URL cannot have")
    }
    // A fragment would be cut off by one reader and kept by another (RFC 6749 §3.1, §3.2 forbid it in endpoints).
    guard !string.contains("#") else { throw Refusal("has a fragment (#…)") }

    let lower = string.lowercased()
    guard let scheme = ["https", "http"].first(where: { lower.hasPrefix($0 + "://") }) else {
      throw Refusal("does not start with https://")
    }
    let rest = string.dropFirst(scheme.count + 3)
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    guard !authority.contains("@") else { throw Refusal("has a user part (…@)") }
    let (host, port) = try Self.split(authority)
    guard scheme == "https" || policy.acceptsRemoteHTTP || Self.isLoopback(host) else {
      throw Refusal("is http to another machine; only https keeps codes and tokens private")
    }
    let tail = rest.dropFirst(authority.count)
    let path = tail.prefix { $0 != "?" }
    guard policy.acceptsAnyPath || Self.isPlain(path: path, policy) else {
      throw Refusal("has a path with empty, dot or badly escaped segments")
    }

    self.scheme = scheme
    self.host = host
    self.explicitPort = port
    self.path = String(path)
    self.query = path.count == tail.count ? nil : String(tail.dropFirst(path.count + 1))
  }

  /// Two URLs are equal when their normal forms are.
  package static func == (left: WebURL, right: WebURL) -> Bool { left.string.isIdentical(to: right.string) }

  /// Whether the scheme is `https`.
  package var isSecure: Bool { scheme == "https" }

  private var defaultPort: Int { isSecure ? 443 : 80 }

  /// The port, when it is not the scheme's own.
  package var port: Int? { explicitPort == defaultPort ? nil : explicitPort }

  /// The port that a request goes to.
  package var effectivePort: Int { explicitPort ?? defaultPort }

  /// Host, and port when it is not the scheme's own.
  package var hostAndPort: String { port.map { "\(host):\($0)" } ?? host }

  /// Scheme, host and port.
  package var origin: String { "\(scheme)://\(hostAndPort)" }

  /// Whether the host is this machine by its literal spelling (RFC 8252 §7.3, §8.3); no name is resolved.
  package var isLoopback: Bool { Self.isLoopback(host) }

  /// The path's segments, without a last empty one.
  package var segments: [String] { path.split(separator: "/").map(String.init) }

  /// The URL, with the host in lower case and without the scheme's own port.
  package var string: String { origin + path + (query.map { "?" + $0 } ?? "") }

  /// Whether both name the same thing but for one slash at the end of the path.
  package func matches(_ other: WebURL) -> Bool {
    func trimmed(_ path: String) -> Substring { path.hasSuffix("/") ? path.dropLast() : path[...] }
    return origin == other.origin && query == other.query && trimmed(path) == trimmed(other.path)
  }
}

extension WebURL.Policy {
  /// RFC 3986 §2: visible ASCII without the characters that shells, terminals and browsers treat in ways of their own.
  fileprivate func accepts(_ byte: UInt8) -> Bool {
    guard byte.isASCIIVisible, byte != UInt8(ascii: "\\") else { return false }
    return acceptsUnescaped || !"\"<>^`{|}".utf8.contains(byte)
  }
}

extension WebURL {
  private static func split(_ authority: Substring) throws(Refusal) -> (host: String, port: Int?) {
    let host: Substring
    if authority.hasPrefix("[") {
      guard let end = authority.firstIndex(of: "]") else { throw Refusal("has no valid host") }
      host = authority[...end]
    } else {
      host = authority.prefix { $0 != ":" }
    }
    guard isHost(host) else { throw Refusal("has no valid host") }
    let rest = authority[host.endIndex...]
    guard !rest.isEmpty else { return (host.lowercased(), nil) }
    let digits = rest.dropFirst()
    guard rest.first == ":", (1...5).contains(digits.count), digits.utf8.allSatisfy(\.isASCIIDigit),
      let port = Int(digits), (1...65535).contains(port)
    else { throw Refusal("has no valid port") }
    return (host.lowercased(), port)
  }

  private static func isHost(_ host: Substring) -> Bool {
    if host.hasPrefix("[") {
      let inside = host.utf8.dropFirst().dropLast()
      return inside.contains(UInt8(ascii: ":"))
        && inside.allSatisfy { $0.hexDigitValue != nil || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") }
    }
    guard !host.isEmpty, host.utf8.count <= 253 else { return false }
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    return labels.allSatisfy { label in
      (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
        && label.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
    }
  }

  /// 127.0.0.0/8 in full decimal notation, `::1`, and `localhost`; never by prefix, or `127.0.0.1.example` would pass, and
  /// none of the shorthand spellings of an IPv4 address (`127.1`, `0x7f000001`).
  private static func isLoopback(_ host: String) -> Bool {
    if host == "localhost" || host == "[::1]" { return true }
    let octets = host.split(separator: ".", omittingEmptySubsequences: false)
    return octets.count == 4 && octets.first == "127"
      && octets.allSatisfy { octet in UInt8(octet).map { String($0) == octet } ?? false }
  }

  private static func isPlain(path: Substring, _ policy: Policy) -> Bool {
    if path.isEmpty || path == "/" { return true }
    let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    return (policy.acceptsEmptySegments || segments.dropLast().allSatisfy { !$0.isEmpty })
      && segments.allSatisfy { segment in
        segment != "." && segment != ".." && !segment.contains("[") && !segment.contains("]")
          && PercentEncoding.isWellFormed(segment)
      }
  }
}

/// Percent-encoding, RFC 3986 §2.1.
private enum PercentEncoding {
  /// Whether each `%` starts an escape, and no escape stands for a control character, a slash or a dot.
  ///
  /// Those three change a path's meaning for readers that unescape first.
  static func isWellFormed(_ segment: Substring) -> Bool {
    let bytes = Array(segment.utf8)
    var index = 0
    while index < bytes.count {
      guard bytes[index] == UInt8(ascii: "%") else {
        index += 1
        continue
      }
      guard index + 2 < bytes.count, let high = bytes[index + 1].hexDigitValue, let low = bytes[index + 2].hexDigitValue
      else {
        return false
      }
      let byte = high << 4 | low
      if byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ".")
        || byte == UInt8(ascii: "\\")
      {
        return false
      }
      index += 3
    }
    return true
  }
}
