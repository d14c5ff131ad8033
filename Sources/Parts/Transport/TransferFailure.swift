package import MSAuthCore

extension AuthenticationError.Reason {
  /// The server's certificate or the TLS handshake failed.
  static let tlsUntrusted: Self = "tls_untrusted"
  package static let responseTooLarge: Self = "response_too_large"
  /// The URL or the request is not allowed.
  static let urlRefused: Self = "url_refused"
  /// libcurl can't be loaded, or is too old.
  static let libcurlMissing: Self = "libcurl_missing"
  /// Memory is exhausted, or libcurl failed for any other reason.
  static let transferFailed: Self = "transfer_failed"
}

/// Why a proxy didn't pass a request on; attached to the error.
package enum ProxyFault: Sendable {
  /// It couldn't be reached, or can't be used with these settings.
  case unusable
  /// It works, but doesn't connect to this destination.
  case rejected
}

extension AuthenticationError {
  package var proxyFault: ProxyFault? {
    get { self[ProxyFault.self] }
    set { self[ProxyFault.self] = newValue }
  }

  /// Returns a copy with the proxy's fault attached.
  func blaming(_ fault: ProxyFault?) -> AuthenticationError {
    var error = self
    error.proxyFault = fault
    return error
  }

  /// Creates the error of a request to `host` that got no usable response.
  init(_ reason: AuthenticationError.Reason, host: String = "", _ message: String, hint: Hint? = nil) {
    switch reason {
    case .unreachable:
      let checkNetwork: Hint = "check the network and \(host.printable(limit: 100)), then try again"
      self.init(.providerUnreachable, message, reason: reason, hint: hint ?? checkNetwork)
    case .tlsUntrusted, .responseTooLarge: self.init(.invalidResponse, message, reason: reason, hint: hint)
    case .urlRefused: self.init(.invalidConfiguration, message, reason: reason, hint: hint)
    default: self.init(.internalError, message, reason: reason, hint: hint)
    }
  }
}
