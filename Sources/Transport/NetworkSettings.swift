package import Core
package import Unix

/// What the environment says about proxies and certificate authorities, read as the curl program reads it.
package struct NetworkSettings: Sendable, Equatable {
  /// The proxy for https, empty for none.
  ///
  /// It may contain a password and is never printed.
  let proxy: String
  /// The variable that names the proxy.
  private let proxyVariable: String
  /// Hosts that are asked directly.
  let noProxy: String
  /// A file of trusted certificates in place of the system's.
  package let authorities: String?
  /// A directory of trusted certificates, by hash, in place of the system's.
  package let authorityDirectory: String?
  /// Whether the system's authorities are replaced, all of them.
  var namesAuthorities: Bool { authorities != nil || authorityDirectory != nil }
  /// The file that the configuration names; nil where ``authorities`` is the environment's.
  private let configuredAuthorities: String?
  /// The variables that said so, in the order of the properties.
  private let variables: [String]

  /// Reads the environment.
  package init(_ environment: [String: String], authorities: String? = nil) {
    var variables: [String] = []
    func first(_ names: String...) -> String? {
      guard let name = names.first(where: { environment[$0]?.isEmpty == false }) else { return nil }
      variables.append(name)
      return environment[name]
    }
    proxy = first("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY") ?? ""
    proxyVariable = variables.first ?? ""
    noProxy = first("no_proxy", "NO_PROXY") ?? ""
    configuredAuthorities = authorities
    // As with curl, the last two belong together, and what comes before replaces both.
    if let file = authorities ?? first("CURL_CA_BUNDLE") {
      self.authorities = file
      authorityDirectory = nil
    } else {
      self.authorities = first("SSL_CERT_FILE")
      authorityDirectory = first("SSL_CERT_DIR")
    }
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

  /// Makes sure that nobody else could have written the certificates that the configuration names.
  package func checkAuthorities() throws(FileError) {
    if let configuredAuthorities { _ = try readTrustedFile(at: configuredAuthorities, limit: Self.maximumSize) }
  }

  /// Far more than all the world's authorities need, which take a quarter of a megabyte.
  private static let maximumSize = 16 << 20

  /// What to do where the proxy does not serve; nil without one.
  package var proxyHint: Hint? { proxy.isEmpty ? nil : "check \(proxyVariable), or put the host into no_proxy" }

  /// Why no request can go through the proxy: libcurl says no more of it than that it could not connect.
  package var proxyFlaw: String? {
    guard let end = proxy.firstRange(of: "://")?.lowerBound else { return nil }
    let scheme = proxy[..<end]
    guard !Self.schemes.contains(scheme.lowercased()) else { return nil }
    return "\(proxyVariable) names a proxy with the scheme \(String(scheme).printable(limit: 40)); known are "
      + Self.schemes.joined(separator: ", ")
  }

  /// Those of curl.
  private static let schemes = ["http", "https", "socks", "socks4", "socks4a", "socks5", "socks5h"]

  /// The proxy that a host is asked through, with the variable that names it: `127.0.0.1:9 (https_proxy)`.
  ///
  /// It is for messages: libcurl itself decides, by the same rules.
  func proxyName(for destination: WebURL) -> String? {
    guard !proxy.isEmpty, !destination.isLoopback, !isExempt(destination.host) else { return nil }
    let address = Self.withoutUser(proxy)
    let start = address.firstRange(of: "://")?.upperBound ?? address.startIndex
    let name = address.utf8[start...].prefix { $0 != UInt8(ascii: "/") }
    return "\(String(Substring(name)).printable(limit: 100)) (\(proxyVariable))"
  }

  /// Whether a host is asked directly: all are, or the list has its name or the domain that it is in.
  private func isExempt(_ host: String) -> Bool {
    let host = Array(host.lowercased().utf8)
    let isAddress = host.contains(UInt8(ascii: ":")) || host.last.map { (0x30...0x39).contains($0) } ?? false
    let isSeparator = { (byte: UInt8) in byte == UInt8(ascii: ",") || byte <= UInt8(ascii: " ") }
    return noProxy.lowercased().utf8.split(whereSeparator: isSeparator).contains { entry in
      let name = Array(entry.drop { $0 == UInt8(ascii: ".") })
      let domain = [UInt8(ascii: ".")] + name
      // Which addresses are in a network, libcurl alone reckons.
      return host == name || host.suffix(domain.count) == domain[...] || entry.elementsEqual("*".utf8)
        || isAddress && entry.contains(UInt8(ascii: "/"))
    }
  }

  /// A proxy's address from its last `@` on, with its scheme.
  private static func withoutUser(_ proxy: String) -> String {
    guard let sign = proxy.utf8.lastIndex(of: UInt8(ascii: "@")) else { return proxy }
    let scheme = proxy.firstRange(of: "://").map { String(proxy[..<$0.upperBound]) } ?? ""
    return scheme + proxy[proxy.utf8.index(after: sign)...]
  }
}
