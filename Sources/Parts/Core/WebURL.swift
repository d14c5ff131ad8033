/// An `https` or `http` URL, parsed strictly.
///
/// A browser, libcurl and servers read it again, so a URL that two parsers could read differently is rejected.
package struct WebURL: Sendable, Equatable {
  /// The kinds of URL that callers accept.
  package enum Policy: Sendable {
    case issuer
    /// Like an issuer, but may have empty segments: some providers write `https://host//authorize`.
    case endpoint
    /// Any path and visible ASCII, `http` to any host. Callers check ``isProtected`` where `http` matters.
    case request
    /// Like an issuer, but with any path.
    case browser

    /// Enough for claims requests and long Graph queries; servers and proxies often reject longer request lines.
    package var maximumBytes: Int {
      switch self {
      case .issuer, .endpoint: 2048
      case .request: 16 << 10
      case .browser: 32 << 10
      }
    }

    /// RFC 3986 §2 excludes characters that shells, terminals and browsers treat specially.
    fileprivate func accepts(_ byte: UInt8) -> Bool {
      byte.isASCIIVisible && byte != UInt8(ascii: "\\") && (self == .request || !"\"<>^`{|}".utf8.contains(byte))
    }

    fileprivate func accepts(path: Substring) -> Bool {
      if self == .request || self == .browser || path.isEmpty || path == "/" { return true }
      let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
      return (self == .endpoint || !segments.dropLast().contains(""))
        && segments.allSatisfy { segment in
          segment != "." && segment != ".." && !segment.contains("[") && !segment.contains("]") && isEscaped(segment)
        }
    }

    /// Rejects escaped control characters, slashes and dots: they change the path for readers that unescape first.
    private func isEscaped(_ segment: Substring) -> Bool {
      let parts = segment.utf8.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)
      return parts.dropFirst().allSatisfy { part in
        let digits = part.prefix(2).compactMap(\.hexDigitValue)
        guard digits.count == 2 else { return false }
        let byte = digits[0] << 4 | digits[1]
        return byte >= 0x20 && byte != 0x7F && !"/.\\".utf8.contains(byte)
      }
    }
  }

  package let scheme: String
  /// In lower case, an IPv6 address in its brackets.
  package let host: String
  /// The port as written, the scheme's own included.
  package let explicitPort: Int?
  /// Empty or starting with a slash.
  package let path: String
  /// Without the question mark.
  package let query: String?

  package init(_ string: String, _ policy: Policy = .issuer) throws(Rejection) {
    guard !string.isEmpty else { throw Rejection("is empty") }
    guard string.utf8.count <= policy.maximumBytes else {
      throw Rejection("is longer than \(policy.maximumBytes) bytes")
    }
    guard string.utf8.allSatisfy({ policy.accepts($0) }) else {
      throw Rejection("has a character that a URL can't have")
    }
    // RFC 6749 §3.1 and §3.2 forbid fragments in endpoints.
    guard !string.contains("#") else { throw Rejection("has a fragment (#…)") }

    let lower = string.lowercased()
    guard let scheme = ["https", "http"].first(where: { lower.hasPrefix($0 + "://") }) else {
      throw Rejection("doesn't start with \(policy == .request ? "http:// or " : "")https://")
    }
    let rest = string.dropFirst(scheme.count + 3)
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    guard !authority.contains("@") else { throw Rejection("has a user part (…@)") }
    let (host, port) = try Self.split(authority)
    let tail = rest.dropFirst(authority.count)
    let path = tail.prefix { $0 != "?" }
    guard policy.accepts(path: path) else {
      throw Rejection("has a path with empty, dot or badly escaped segments")
    }

    self.scheme = scheme
    self.host = host
    self.explicitPort = port
    self.path = String(path)
    self.query = path.count == tail.count ? nil : String(tail.dropFirst(path.count + 1))
    guard policy == .request || isProtected else {
      throw Rejection("is http to another machine; only https keeps codes and tokens private")
    }
  }

  /// Parses a URL, or throws the error for the reason of a rejection.
  package init(
    _ string: String,
    _ policy: Policy = .issuer,
    orThrow error: (_ reason: String) -> AuthenticationError
  ) throws(AuthenticationError) {
    do throws(Rejection) {
      try self.init(string, policy)
    } catch let rejection {
      throw error(rejection.reason)
    }
  }

  /// Compares normal forms.
  package static func == (left: WebURL, right: WebURL) -> Bool { left.string.isIdentical(to: right.string) }

  package var isSecure: Bool { scheme == "https" }

  private var defaultPort: Int { isSecure ? 443 : 80 }

  /// `nil` for the scheme's default.
  package var port: Int? { explicitPort == defaultPort ? nil : explicitPort }

  package var effectivePort: Int { explicitPort ?? defaultPort }

  /// The host, and the port if it was written.
  package var hostAndWrittenPort: String { host + (explicitPort.map { ":\($0)" } ?? "") }

  package var hostAndPort: String { port.map { "\(host):\($0)" } ?? host }

  package var origin: String { "\(scheme)://\(hostAndPort)" }

  /// Decided by the host's spelling (RFC 8252 §7.3, §8.3); names aren't resolved.
  package var isLoopback: Bool { host == "localhost" || host == "[::1]" || Self.octets(of: host)?.first == 127 }

  /// Whether no other computer can read a request to it.
  package var isProtected: Bool { isSecure || isLoopback }

  /// Whether the host is an address of this computer or its network, by its spelling (RFC 6890); names aren't resolved.
  package var isPrivate: Bool {
    if isLoopback || host.hasSuffix(".localhost") || host.hasSuffix(".local") || host.hasSuffix(".internal") {
      return true
    }
    // Of IPv6, only 2000::/3 is public.
    if host.hasPrefix("[") {
      return UInt16(host.dropFirst().prefix { $0 != ":" }, radix: 16).map { $0 & 0xE000 != 0x2000 } ?? true
    }
    let labels = host.split(separator: ".")
    guard labels.last?.utf8.first?.isASCIIDigit == true else { return labels.count < 2 }
    // Resolvers read 127.1 and 0x7f000001 as addresses too.
    guard let octets = Self.octets(of: host) else { return true }
    switch (octets[0], octets[1]) {
    case (0, _), (10, _), (127, _), (169, 254), (192, 168), (100, 64...127), (172, 16...31), (224..., _): return true
    default: return false
    }
  }

  /// Why an address from the server at this URL is rejected, or `nil`.
  ///
  /// A server on the internet must not make this computer send requests to a router or a service behind its firewall.
  package func rejection(of url: String) -> (what: String, isPrivate: Bool)? {
    guard let named = try? WebURL(url, .request), named.isProtected else {
      return ("names an address that isn't https: \(url.printable(limit: 200))", false)
    }
    return named.isPrivate && !isPrivate ? ("names a private address: \(url.printable(limit: 200))", true) : nil
  }

  /// Suggests the URL for a host and path without a scheme.
  package static func hint(for string: String) -> Hint? {
    guard let url = try? WebURL("https://\(string)", .endpoint) else { return nil }
    return "did you mean \(command: [(url.isLoopback ? "http" : "https") + "://" + string])?"
  }

  package var segments: [String] { path.split(separator: "/").map(String.init) }

  /// The normal form: the host in lower case, without the scheme's default port.
  package var string: String { origin + path + (query.map { "?" + $0 } ?? "") }

  /// Compares normal forms without a slash at the end of the path.
  package func matches(_ other: WebURL) -> Bool {
    origin == other.origin && query == other.query
      && path.withoutTrailingSlash.isIdentical(to: other.path.withoutTrailingSlash)
  }
}

extension String {
  /// The string without one slash at its end.
  package var withoutTrailingSlash: String { utf8.last == UInt8(ascii: "/") ? String(unicodeScalars.dropLast()) : self }
}

extension WebURL {
  private static func split(_ authority: Substring) throws(Rejection) -> (host: String, port: Int?) {
    let host: Substring
    if authority.hasPrefix("[") {
      guard let end = authority.firstIndex(of: "]") else { throw Rejection("has no valid host") }
      host = authority[...end]
    } else {
      host = authority.prefix { $0 != ":" }
    }
    guard isHost(host) else { throw Rejection("has no valid host") }
    let rest = authority[host.endIndex...]
    guard !rest.isEmpty else { return (host.lowercased(), nil) }
    let digits = rest.dropFirst()
    guard rest.first == ":", (1...5).contains(digits.count), digits.utf8.allSatisfy(\.isASCIIDigit),
      let port = Int(digits), (1...65535).contains(port)
    else { throw Rejection("has no valid port") }
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
        && label.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-_".utf8.contains($0) }
    }
  }

  /// The four numbers of an IPv4 address; `nil` for names (`127.0.0.1.example`) and short forms (`127.1`).
  package static func octets(of host: String) -> [UInt8]? {
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    let octets = labels.compactMap { label in UInt8(label).flatMap { String($0) == label ? $0 : nil } }
    return octets.count == 4 && labels.count == 4 ? octets : nil
  }
}
