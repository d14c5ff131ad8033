import Core

/// A request that passed every check, with all that its transfer needs.
struct Transfer: Sendable {
  let request: HTTPRequest
  let destination: WebURL
  let headerLines: [String]
  let userAgent: String
  let timeouts: Timeouts
  let limits: ResponseLimits
  let network: NetworkSettings

  func failure(_ kind: TransportError.Kind, _ message: String) -> TransportError {
    TransportError(kind, host: destination.name, message: message)
  }
}

/// How long a request may take.
package struct Timeouts: Sendable, Equatable {
  /// Until the connection is established, name resolution and TLS included.
  ///
  /// A person waits at a terminal: a provider that needs longer is down.
  package var connect: Duration
  /// From the first step until the last byte of the body.
  package var total: Duration

  package init(connect: Duration = .seconds(10), total: Duration = .seconds(30)) {
    self.connect = connect
    self.total = total
  }
}

/// How large a response may be.
///
/// A provider's documents take a few kilobytes; Microsoft's key set, the largest, about twenty.
package struct ResponseLimits: Sendable, Equatable {
  /// Bytes of the body after decompression, so that a small gzip stream cannot exhaust the memory.
  package var maximumBodyBytes: Int
  /// Bytes of all header lines, those of interim responses included.
  package var maximumHeaderBytes: Int

  package init(maximumBodyBytes: Int = 1 << 20, maximumHeaderBytes: Int = 64 << 10) {
    self.maximumBodyBytes = maximumBodyBytes
    self.maximumHeaderBytes = maximumHeaderBytes
  }
}

/// What the environment says about proxies and certificate authorities, read as the curl program reads it.
struct NetworkSettings: Equatable {
  /// The proxy for https, empty for none.
  ///
  /// It may contain a password and is never printed.
  let proxy: String
  /// Hosts that are asked directly.
  let noProxy: String
  /// A file of trusted certificates in place of the system's.
  let authorities: String?
  /// A directory of trusted certificates, by hash.
  let authorityDirectory: String?

  /// - Parameter environment: Only https goes through a proxy: http is for loopback hosts, which are always asked
  ///   directly. So `http_proxy` is not read, and with it not the `Proxy:` header that CGI turns into `HTTP_PROXY`.
  init(_ environment: [String: String]) {
    func first(_ names: String...) -> String? {
      names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    }
    proxy = first("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY") ?? ""
    noProxy = first("no_proxy", "NO_PROXY") ?? ""
    authorities = first("CURL_CA_BUNDLE", "SSL_CERT_FILE")
    authorityDirectory = first("SSL_CERT_DIR")
  }
}

extension Duration {
  /// Whole milliseconds, at least one: libcurl reads zero as its own default.
  var milliseconds: Int {
    let (seconds, attoseconds) = components
    return max(1, Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
  }
}
