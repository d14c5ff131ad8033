/// An `https` URL, or an `http` one to this machine, taken apart strictly.
///
/// What a configuration, a metadata document or a person gives us ends up in a browser and in requests that carry
/// codes, so anything two parsers could read differently is refused instead of repaired.
package struct WebURL: Sendable, Equatable {
  /// The longest URL taken from outside; servers and proxies commonly refuse longer request lines.
  package static let lengthLimit = 2048

  /// Why a text is not such a URL, as the end of a sentence that starts with the URL's name.
  package struct Refusal: Error, Sendable, Equatable {
    package let reason: String
  }

  /// `https`, or `http` when the host is this machine.
  package let scheme: String
  /// The host in lower case, an IPv6 address in its brackets.
  package let host: String
  /// The port, when it is not the scheme's own.
  package let port: Int?
  /// The path as written, empty or starting with a slash.
  package let path: String
  /// What follows `?`, without it.
  package let query: String?

  /// Takes a URL apart.
  ///
  /// - Parameter text: The URL as it was given.
  /// - Throws: ``Refusal`` with the first thing that is wrong with it.
  package init(_ text: String) throws(Refusal) {
    guard !text.isEmpty else { throw Refusal(reason: "is empty") }
    guard text.utf8.count <= Self.lengthLimit else {
      throw Refusal(reason: "is longer than \(Self.lengthLimit) bytes")
    }
    guard text.utf8.allSatisfy({ Self.characters.contains($0) }) else {
      throw Refusal(reason: "has a character that a URL cannot have")
    }
    // A fragment would be cut off by one reader and kept by another (RFC 6749 §3.1, §3.2 forbid it in endpoints).
    guard !text.contains("#") else { throw Refusal(reason: "has a fragment (#…)") }

    let lower = text.lowercased()
    guard let scheme = ["https", "http"].first(where: { lower.hasPrefix($0 + "://") }) else {
      throw Refusal(reason: "does not start with https://")
    }
    let rest = text.dropFirst(scheme.count + 3)
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    guard !authority.contains("@") else { throw Refusal(reason: "has a user part (…@)") }
    let (host, port) = try Self.split(authority)
    guard scheme == "https" || Self.isLoopback(host) else {
      throw Refusal(reason: "is http to another machine; only https keeps codes and tokens private")
    }
    let tail = rest.dropFirst(authority.count)
    let path = tail.prefix { $0 != "?" }
    guard Self.isPlain(path: path) else {
      throw Refusal(reason: "has a path with empty, dot or badly escaped segments")
    }

    self.scheme = scheme
    self.host = host
    self.port = port == (scheme == "https" ? 443 : 80) ? nil : port
    self.path = String(path)
    self.query = path.count == tail.count ? nil : String(tail.dropFirst(path.count + 1))
  }

  /// Host, and port when it is not the scheme's own.
  package var hostAndPort: String { port.map { "\(host):\($0)" } ?? host }

  /// Scheme, host and port.
  package var origin: String { "\(scheme)://\(hostAndPort)" }

  /// Whether the host is this machine (RFC 8252 §7.3, §8.3).
  package var isLoopback: Bool { Self.isLoopback(host) }

  /// The path's segments, without a last empty one.
  package var segments: [String] { path.split(separator: "/").map(String.init) }

  /// The URL, host in lower case and without the scheme's own port.
  package var text: String { origin + path + (query.map { "?" + $0 } ?? "") }

  /// Whether both name the same thing but for one slash at the end of the path.
  package func matches(_ other: WebURL) -> Bool {
    func trimmed(_ path: String) -> Substring { path.hasSuffix("/") ? path.dropLast() : path[...] }
    return origin == other.origin && query == other.query && trimmed(path) == trimmed(other.path)
  }
}

extension WebURL {
  /// RFC 3986 §2, without the characters that shells, terminals and browsers treat in ways of their own.
  private static let characters = Set(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/?#[]@!$&'()*+,;=%".utf8
  )

  private static func split(_ authority: Substring) throws(Refusal) -> (host: String, port: Int?) {
    let host: Substring
    if authority.hasPrefix("[") {
      guard let end = authority.firstIndex(of: "]") else { throw Refusal(reason: "has no valid host") }
      host = authority[...end]
    } else {
      host = authority.prefix { $0 != ":" }
    }
    guard isHost(host) else { throw Refusal(reason: "has no valid host") }
    let rest = authority[host.endIndex...]
    guard !rest.isEmpty else { return (host.lowercased(), nil) }
    let digits = rest.dropFirst()
    guard rest.first == ":", (1...5).contains(digits.count), digits.utf8.allSatisfy({ (48...57).contains($0) }),
      let port = Int(digits), (1...65535).contains(port)
    else { throw Refusal(reason: "has no valid port") }
    return (host.lowercased(), port)
  }

  private static func isHost(_ host: Substring) -> Bool {
    if host.hasPrefix("[") {
      let inside = host.dropFirst().dropLast()
      return inside.count >= 2 && inside.contains(":") && inside.allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
    }
    guard !host.isEmpty, host.utf8.count <= 253 else { return false }
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    return labels.allSatisfy { label in
      (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
        && label.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
    }
  }

  /// 127.0.0.0/8 in full decimal notation, `::1`, and `localhost`; never by prefix, or `127.0.0.1.example` would pass.
  private static func isLoopback(_ host: String) -> Bool {
    if host == "localhost" || host == "[::1]" { return true }
    let octets = host.split(separator: ".", omittingEmptySubsequences: false)
    return octets.count == 4 && octets.first == "127"
      && octets.allSatisfy { octet in UInt8(octet).map { String($0) == octet } ?? false }
  }

  private static func isPlain(path: Substring) -> Bool {
    if path.isEmpty || path == "/" { return true }
    let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    return segments.dropLast().allSatisfy { !$0.isEmpty }
      && segments.allSatisfy { segment in
        segment != "." && segment != ".." && !segment.contains("[") && !segment.contains("]")
          && PercentEncoding.isWellFormed(segment)
      }
  }
}
