/// What of a request's URL a proof is about (RFC 9449 §4.2: `htu`), and who is asked.
package struct DPoPTarget: Sendable, Equatable {
  /// A claims request or a long query stays well below; servers refuse more.
  package static let urlLimit = 16 * 1024

  /// Scheme, host and port: whose nonces they are.
  package let origin: String
  /// The URL without query and fragment.
  package let uri: String

  /// Takes a URL apart.
  ///
  /// Servers compare after normalizing (RFC 9449 §4.3, RFC 3986 §6.2.2, §6.2.3), or do not: so it is written as it will
  /// be sent, in the form that most would give it.
  ///
  /// - Parameter url: An absolute URL with `https` or `http`.
  /// - Throws: ``OAuthError/invalidParameter(name:reason:)``.
  package init(_ url: String) throws(OAuthError) {
    func refusal(_ reason: String) -> OAuthError { .invalidParameter(name: "the URL to prove for", reason: reason) }
    guard url.utf8.count <= Self.urlLimit, url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x5C }) else {
      throw refusal("is too long, or has a character that a URL cannot have")
    }
    let lower = url.lowercased()
    guard let scheme = ["https", "http"].first(where: { lower.hasPrefix($0 + "://") }) else {
      throw refusal("does not begin with https://")
    }
    let rest = url.dropFirst(scheme.count + 3).prefix { $0 != "?" && $0 != "#" }
    var authority = rest.prefix { $0 != "/" }.lowercased()
    guard !authority.isEmpty, !authority.hasPrefix(":"), !authority.contains("@") else {
      throw refusal("has no host, or a user part (…@)")
    }
    let usualPort = scheme == "https" ? ":443" : ":80"
    if authority.hasSuffix(usualPort) { authority.removeLast(usualPort.count) }
    let path = rest.dropFirst(rest.prefix { $0 != "/" }.count)
    // libcurl and browsers take them out before they send.
    guard !path.split(separator: "/").contains(where: { $0 == "." || $0 == ".." }) else {
      throw refusal("has a path with dot segments")
    }
    origin = scheme + "://" + authority
    uri = origin + (path.isEmpty ? "/" : path)
  }
}
