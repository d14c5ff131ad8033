package import Core

/// What of a request's URL a proof is about (RFC 9449 §4.2: `htu`), and who is asked.
package struct DPoPTarget: Sendable, Equatable {
  /// Scheme, host and port: whose nonces they are.
  package let origin: String
  /// The URL without query and fragment.
  package let uri: String

  /// Derives the target from a request's URL.
  ///
  /// Servers compare after normalizing (RFC 9449 §4.3, RFC 3986 §6.2.2, §6.2.3), or do not: so it is written as it will
  /// be sent, in the form that most would give it.
  package init(_ url: String) throws(Failure) {
    func refusal(_ reason: String) -> Failure { .invalidParameter(name: "the URL to prove for", reason: reason) }
    let parsed: WebURL
    do {
      parsed = try WebURL(String(url.prefix { $0 != "#" }), .request)
    } catch {
      throw refusal(error.reason)
    }
    // libcurl and browsers take them out before they send.
    guard !parsed.path.split(separator: "/").contains(where: { $0 == "." || $0 == ".." }) else {
      throw refusal("has a path with dot segments")
    }
    origin = parsed.origin
    uri = origin + (parsed.path.isEmpty ? "/" : parsed.path)
  }
}
