/// What the environment says of proxies and of certificate authorities, as curl's own program reads it.
struct NetworkSettings: Equatable {
  /// The proxy for https, empty for none.
  ///
  /// It may hold a password and is never printed.
  let proxy: String
  /// Hosts that are asked directly.
  let noProxy: String
  /// A file of trusted certificates in place of the system's.
  let authorities: String?
  /// A folder of such, by hash.
  let authorityFolder: String?

  /// - Parameter environment: Only https goes through a proxy: http is for loopback hosts, which are always asked
  ///   directly. So `http_proxy` is not read, and with it not the `Proxy:` header that CGI turns into `HTTP_PROXY`.
  init(_ environment: [String: String]) {
    func first(_ names: String...) -> String? {
      names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    }
    proxy = first("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY") ?? ""
    noProxy = first("no_proxy", "NO_PROXY") ?? ""
    authorities = first("CURL_CA_BUNDLE", "SSL_CERT_FILE")
    authorityFolder = first("SSL_CERT_DIR")
  }
}
