package import Core

extension FailureReason {
  /// The server's certificate or the TLS handshake failed.
  package static let tlsUntrusted: Self = "tls_untrusted"
  package static let responseTooLarge: Self = "response_too_large"
  /// The URL or the request is not allowed.
  package static let urlRefused: Self = "url_refused"
  package static let libcurlMissing: Self = "libcurl_missing"
}

extension Failure {
  /// There is no response of `host`.
  package init(_ reason: FailureReason, host: String, _ message: String, hint: Hint? = nil) {
    switch reason {
    case .unreachable:
      let usual: Hint = "check the network and \(host.printable(limit: 100)), then try again"
      self.init(.providerUnreachable, reason, message, hint: hint ?? usual)
    case .tlsUntrusted, .responseTooLarge: self.init(.invalidResponse, reason, message, hint: hint)
    case .urlRefused: self.init(.invalidConfiguration, reason, message, hint: hint)
    default: self.init(.internalError, reason, message, hint: hint ?? "install libcurl4")
    }
  }
}
