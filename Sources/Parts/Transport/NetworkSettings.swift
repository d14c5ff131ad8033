package import MSAuthCore
package import MSAuthUnix

/// The environment's proxies and certificate authorities, read as curl does.
package struct NetworkSettings: Sendable, Equatable {
  /// The proxy for https, or empty; never printed, since it may contain a password.
  let proxy: String
  /// Hosts without a proxy.
  package let noProxy: String
  /// A file of trusted certificates in place of the system's.
  package let caFile: String?
  /// A directory of trusted certificates, by hash, in place of the system's.
  package let caDirectory: String?
  /// The configured file; `nil` if ``caFile`` is from the environment.
  private let configuredCAFile: String?
  /// The variables that these settings are from; the proxy's is the first.
  private let variables: [String]
  private var proxyVariable: String { variables.first ?? "" }

  package init(_ environment: [String: String], caFile: String? = nil) {
    var variables: [String] = []
    func first(_ names: String...) -> String? {
      guard let name = names.first(where: { environment[$0]?.isEmpty == false }) else { return nil }
      variables.append(name)
      return environment[name]
    }
    proxy = first("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY") ?? ""
    noProxy = first("no_proxy", "NO_PROXY") ?? ""
    configuredCAFile = caFile
    // As in curl, SSL_CERT_FILE and SSL_CERT_DIR are used together.
    let bundle = caFile ?? first("CURL_CA_BUNDLE")
    self.caFile = bundle ?? first("SSL_CERT_FILE")
    caDirectory = bundle == nil ? first("SSL_CERT_DIR") : nil
    self.variables = variables
  }

  /// The route of requests and its variables; a proxy is shown without its user and password.
  package var description: String {
    let (scheme, _, address) = proxyParts
    let shown = ((scheme.map { $0 + "://" } ?? "") + address).printable(limit: 100)
    var parts = [proxy.isEmpty ? "no proxy" : "the proxy \(shown)"]
    if !proxy.isEmpty, !noProxy.isEmpty { parts.append("but not for \(noProxy.printable(limit: 200))") }
    let paths = [caFile, caDirectory].compactMap { $0?.printable(limit: 200) }
    let names = paths.joined(separator: " and ")
    parts.append(paths.isEmpty ? "the system's certificates" : "certificates from \(names)")
    return parts.joined(separator: ", ") + (variables.isEmpty ? "" : " (\(variables.joined(separator: ", ")))")
  }

  /// Rejects configured certificates that another local user could have written.
  package func checkCAFile() throws(FileError) {
    if let configuredCAFile { _ = try readTrustedFile(at: configuredCAFile, limit: Self.maximumSize) }
  }

  package var checkCASetting: Hint {
    let names = variables.filter(["CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR"].contains).joined(separator: " or ")
    let setting: Hint = configuredCAFile == nil ? "\(names)" : "\(setting: "ca_file", or: "the configuration")"
    return "check the file, and the setting that names it: \(setting)"
  }

  /// A bundle of all public authorities has about 250 KB.
  private static let maximumSize = 16 << 20

  package var hasProxy: Bool { !proxy.isEmpty }
  /// Whether the proxy is reached over SOCKS, which has no responses with a status.
  var usesSOCKS: Bool { proxyParts.scheme?.lowercased().hasPrefix("socks") == true }
  var proxyHasUser: Bool { proxyParts.user != nil }

  /// What is wrong with the proxy's variable, and what to do; libcurl would only report that it couldn't connect.
  package var proxyFlaw: (message: String, hint: Hint)? {
    guard hasProxy else { return nil }
    let (scheme, user, address) = proxyParts
    if let scheme, !Self.schemes.contains(scheme.lowercased()) {
      let message = "\(proxyVariable) names a proxy with the scheme \(scheme.printable(limit: 40)); supported are "
      return (message + Self.schemes.joined(separator: ", "), checkProxy)
    }
    if user?.utf8.contains(where: { "@/?#".utf8.contains($0) || !$0.isASCIIVisible && $0 < 0x80 }) == true {
      return ("the user or the password in \(proxyVariable) has a character that a URL can't have", percentEncode)
    }
    let form: Hint = "write \(proxyVariable) as http://HOST:PORT or http://USER:PASSWORD@HOST:PORT"
    let isAddress = (try? WebURL("http://" + address.prefix { $0 != "/" } + "/", .request)) != nil
    return isAddress ? nil : ("\(proxyVariable) doesn't contain a proxy's URL", form)
  }

  var proxySetting: Hint { "\(proxyVariable)" }
  var checkProxy: Hint { "check \(proxyVariable), or add the host to no_proxy" }
  var checkProxyScheme: Hint {
    "check the scheme and the port in \(proxyVariable): https:// is for a proxy that itself uses TLS, most need http://"
  }
  private var percentEncode: Hint {
    "percent-encode user and password in \(proxyVariable): @ as %40, : as %3A, / as %2F, ? as %3F, # as %23, % as %25"
  }
  var checkCredentials: Hint {
    proxyHasUser
      ? "\(percentEncode); if they are right, ask the proxy's administrator"
      : "add them to \(proxyVariable), percent-encoded: http://USER:PASSWORD@HOST:PORT"
  }
  static func allowHost(_ host: String) -> Hint {
    "check \(host), ask the proxy's administrator to allow it, or add the host to no_proxy"
  }

  /// The schemes that curl supports.
  private static let schemes = ["http", "https", "socks", "socks4", "socks4a", "socks5", "socks5h"]

  /// The proxy for a destination, such as `the proxy 127.0.0.1:9 (https_proxy)`, by the rules that libcurl has too.
  func proxyName(for destination: WebURL) -> String? {
    guard hasProxy, !destination.isLoopback, !isExempt(destination.host) else { return nil }
    let name = proxyParts.address.utf8.prefix { $0 != UInt8(ascii: "/") }
    return "the proxy \(String(Substring(name)).printable(limit: 100)) (\(proxyVariable))"
  }

  /// Whether the list has the host, its domain or `*`.
  private func isExempt(_ host: String) -> Bool {
    let host = Array(host.lowercased().utf8)
    let isAddress = host.contains(UInt8(ascii: ":")) || host.last?.isASCIIDigit == true
    let isSeparator = { (byte: UInt8) in byte == UInt8(ascii: ",") || byte <= UInt8(ascii: " ") }
    return noProxy.lowercased().utf8.split(whereSeparator: isSeparator).contains { entry in
      let name = Array(entry.drop { $0 == UInt8(ascii: ".") })
      let domain = [UInt8(ascii: ".")] + name
      // Only libcurl compares an address with a network; assume a match, so that no proxy is blamed.
      return host == name || host.suffix(domain.count) == domain[...] || entry.elementsEqual("*".utf8)
        || isAddress && entry.contains(UInt8(ascii: "/"))
    }
  }

  /// The parts of the proxy's URL; the user and the password end at the last `@`, so that no part of a password is shown.
  private var proxyParts: (scheme: String?, user: Substring?, address: Substring) {
    let scheme = proxy.firstRange(of: "://")
    let rest = proxy[(scheme?.upperBound ?? proxy.startIndex)...]
    let parts = (rest.utf8.lastIndex(of: UInt8(ascii: "@"))).map { (rest[..<$0], rest[rest.utf8.index(after: $0)...]) }
    return (scheme.map { String(proxy[..<$0.lowerBound]) }, parts?.0, parts?.1 ?? rest)
  }
}
