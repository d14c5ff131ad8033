import MSAuthCrypto
import MSAuthLoopback

/// The address that the provider redirects to, on the loopback interface (RFC 8252 §7.3).
package struct RedirectTarget: Sendable, Equatable {
  let host: LoopbackHost
  /// The registered port, or 0 for any.
  let port: UInt16
  private let registeredPath: String
  /// Browsers always request a path.
  package var path: String { registeredPath.isEmpty ? "/" : registeredPath }

  package init(_ uri: String) throws(AuthenticationError) {
    func unusable(_ why: String) -> AuthenticationError {
      let message = "the redirect URI \(uri.printable()) \(why)"
      let hint: Hint =
        "use http://localhost, http://127.0.0.1 or http://[::1], with the port and path of the registration"
      return AuthenticationError(.invalidConfiguration, message, reason: .redirectURIInvalid, hint: hint)
    }
    guard uri.hasPrefix("http://") else { throw unusable("doesn't begin with http://") }
    let url = try WebURL(uri, .request, orThrow: unusable)
    guard url.query == nil else { throw unusable("has a query (?…)") }
    guard let host = LoopbackHost.allCases.first(where: { $0.uriHost == url.host }) else {
      throw unusable("doesn't name this machine's loopback address")
    }
    self.host = host
    self.port = url.explicitPort.flatMap { UInt16(exactly: $0) } ?? 0
    self.registeredPath = url.path
  }

  package func uri(port: UInt16) -> String { "http://\(host.uriHost):\(port)\(registeredPath)" }

  /// The parameters of a redirect in the query, from the address that the browser shows and the user copied.
  func parameters(of address: String, port: UInt16) throws(Rejection) -> [(name: String, value: String)] {
    // Ignore line breaks of a mail program or terminal, quotes around the address, and the fragment.
    let copied = address.filter { !$0.isWhitespace }.unquoted.prefix { $0 != "#" }
    // Browsers hide the scheme.
    let isBare = LoopbackHost.allCases.contains { copied.lowercased().hasPrefix($0.uriHost) }
    let url: WebURL
    do {
      url = try WebURL(isBare ? "http://\(copied)" : String(copied), .request)
    } catch {
      throw Rejection("the address \(error.reason)")
    }
    // As in a Host field, the scheme's default port may be omitted.
    guard !url.isSecure, isSameHost(url.host), url.effectivePort == Int(port),
      (url.path.isEmpty ? "/" : url.path).isIdentical(to: path)
    else { throw Rejection("the address doesn't begin with \(uri(port: port))") }
    guard let query = url.query, !query.isEmpty else {
      throw Rejection("the address contains no response")
    }
    return FormEncoding.decode(query)
  }

  /// Whether a copied address has this host; some programs replace `localhost` with its address, or the reverse.
  private func isSameHost(_ other: String) -> Bool {
    let names = ["localhost", "127.0.0.1"]
    return other == host.uriHost || names.contains(other) && names.contains(host.uriHost)
  }
}

extension Authority {
  package var defaultRedirectURI: String {
    switch subject {
    // Microsoft's registrations have http://localhost without a port, and its portal rejects 127.0.0.1.
    case .account: isMicrosoft ? "http://localhost" : "http://127.0.0.1/"
    // Each authorization server that a resource names gets its own path: it may redirect the browser to another provider,
    // which doesn't have this redirect URI registered and so sends no code to it (RFC 9700 §4.4.2).
    case .resource(_, let issuer, _):
      "http://127.0.0.1/" + Base64URL.encode(Digest.sha256.hash(issuer.utf8).prefix(16))
    }
  }
}

extension ClientConfiguration {
  /// The redirect URI at an authority, as registered.
  package func redirectURI(at authority: Authority) -> String { redirectURI ?? authority.defaultRedirectURI }
}
