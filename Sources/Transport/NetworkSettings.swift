import Core

/// What the environment says about proxies and certificate authorities, read as the curl program reads it.
package struct NetworkSettings: Sendable, Equatable {
  /// The proxy for https, empty for none.
  ///
  /// It may contain a password and is never printed.
  let proxy: String
  /// Hosts that are asked directly.
  let noProxy: String
  /// A file of trusted certificates in place of the system's.
  package let authorities: String?
  /// A directory of trusted certificates, by hash.
  package let authorityDirectory: String?
  /// The variables that said so, in the order of the properties.
  private let variables: [String]

  /// Reads the environment.
  ///
  /// - Parameters:
  ///   - environment: Only https goes through a proxy: http is for loopback hosts, which are always asked directly. So
  ///     `http_proxy` is not read, and with it not the `Proxy:` header that CGI turns into `HTTP_PROXY`.
  ///   - authorities: A file of trusted certificates, which counts more than the environment's.
  package init(_ environment: [String: String], authorities: String? = nil) {
    var variables: [String] = []
    func first(_ names: String...) -> String? {
      guard let name = names.first(where: { environment[$0]?.isEmpty == false }) else { return nil }
      variables.append(name)
      return environment[name]
    }
    proxy = first("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY") ?? ""
    noProxy = first("no_proxy", "NO_PROXY") ?? ""
    self.authorities = authorities ?? first("CURL_CA_BUNDLE", "SSL_CERT_FILE")
    authorityDirectory = first("SSL_CERT_DIR")
    self.variables = variables
  }

  /// The route of requests in words, and which variables say so; a proxy is shown without its user and password.
  package var description: String {
    var parts = [proxy.isEmpty ? "no proxy" : "the proxy \(Self.withoutUser(proxy).printable(limit: 100))"]
    if !proxy.isEmpty, !noProxy.isEmpty { parts.append("but not for \(noProxy.printable(limit: 200))") }
    switch (authorities, authorityDirectory) {
    case (nil, nil): parts.append("the system's certificates")
    case (let file, let directory):
      parts.append(
        "the certificates of "
          + [file, directory].compactMap(\.self).map { $0.printable(limit: 200) }.joined(separator: " and ")
      )
    }
    return parts.joined(separator: ", ") + (variables.isEmpty ? "" : " (\(variables.joined(separator: ", ")))")
  }

  /// A proxy's address from its last `@` on, with its scheme.
  private static func withoutUser(_ proxy: String) -> String {
    guard let sign = proxy.utf8.lastIndex(of: UInt8(ascii: "@")) else { return proxy }
    let scheme = proxy.firstRange(of: "://").map { String(proxy[..<$0.upperBound]) } ?? ""
    return scheme + proxy[proxy.utf8.index(after: sign)...]
  }
}
