import CMSAuthCurl
import FoundationEssentials
import Glibc
package import MSAuthCore
import MSAuthUnix

/// libcurl's error for a transfer without a response.
struct CurlFailure {
  let code: CURLcode
  /// `errno` of the failed connection, or 0.
  let systemError: Int32
  /// The status of the proxy's response to CONNECT, or 0.
  let proxyStatus: Int
  /// Whether the server or its proxy was reached.
  let isConnected: Bool
  /// The TLS library's finding on the certificate, or 0.
  let verification: Int
  /// libcurl's message for the code.
  let description: String

  func error(_ transfer: Transfer) -> Failure {
    let name = transfer.destination.name
    let words = description.startingLowercase
    if proxyStatus != 0, !(200...299).contains(proxyStatus) {
      return transfer.failure(.unreachable, "the proxy refused to connect to \(name) (status \(proxyStatus))")
    }
    if let proxy = transfer.proxyName, let (verb, reason) = failureOfProxy(words) {
      let message = "could not \(verb) the proxy \(proxy): \(reason)"
      return transfer.failure(.unreachable, message, hint: transfer.network.proxyHint)
    }
    let (reason, message, hint): (FailureReason, String, Hint?) =
      switch code {
      case CURLE_COULDNT_RESOLVE_HOST:
        (.unreachable, "could not find \(transfer.destination.host): its name does not resolve", nil)
      case CURLE_COULDNT_RESOLVE_PROXY:
        (.unreachable, "could not reach \(name): the proxy's name does not resolve", nil)
      case CURLE_COULDNT_CONNECT:
        (.unreachable, "could not connect to \(name): \(systemReason ?? words)", nil)
      case CURLE_OPERATION_TIMEDOUT:
        (.unreachable, "\(name) did not respond in time (\(transfer.limits.times))", nil)
      case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE:
        (.unreachable, "\(name) closed the connection before its response was complete", nil)
      // The scheme was checked before: libcurl returns "unsupported protocol" for a response in HTTP/0.9.
      case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING, CURLE_HTTP2,
        CURLE_HTTP2_STREAM:
        (.unreachable, "\(name) sent something other than an HTTP response: \(words)", nil)
      case CURLE_PEER_FAILED_VERIFICATION:
        certificateFailure(name)
      case CURLE_SSL_CACERT_BADFILE:
        (
          .tlsUntrusted,
          "the trusted certificates could not be read: \(transfer.network.authorities ?? "the system's file")"
            .printable(),
          transfer.network.authorities == nil ? "install ca-certificates" : .checkAuthorities
        )
      case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR,
        CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CRL_BADFILE, CURLE_SSL_CLIENTCERT, CURLE_USE_SSL_FAILED:
        (
          .tlsUntrusted, "no TLS connection to \(name): \(words)",
          "check the URL, its scheme and port: the server has no TLS there, or none that can be used"
        )
      case CURLE_FILESIZE_EXCEEDED:
        (
          .responseTooLarge,
          "the response of \(name) is too large: its body is larger than \(FileError.size(transfer.limits.bodyBytes))",
          nil
        )
      case CURLE_URL_MALFORMAT:
        (.urlRefused, "libcurl rejects the URL: \(words)", nil)
      default:
        (.libcurlMissing, "the request to \(name) failed: \(words) (libcurl \(code.rawValue))", nil)
      }
    return transfer.failure(reason, message, hint: hint)
  }

  /// What failed before the proxy was passed; nil if it was, or if that is unknown.
  private func failureOfProxy(_ words: String) -> (verb: String, reason: String)? {
    switch code {
    case CURLE_COULDNT_RESOLVE_PROXY: ("find", "its name does not resolve")
    case CURLE_COULDNT_CONNECT: ("connect to", systemReason ?? words)
    case CURLE_OPERATION_TIMEDOUT where !isConnected: ("connect to", "it did not respond in time")
    case CURLE_PROXY: ("get through", words)
    default: nil
    }
  }

  // OpenSSL numbers its findings (`X509_V_ERR_…`); GnuTLS sets bits (`GNUTLS_CERT_…`), always that of an invalid one.
  private func certificateFailure(_ name: String) -> (FailureReason, String, Hint?) {
    let isInvalid = verification & 1 << 1 != 0
    let isEarly = verification == 9 || isInvalid && verification & 1 << 9 != 0
    if isEarly || verification == 10 || isInvalid && verification & 1 << 10 != 0 {
      let flaw = isEarly ? "is not valid yet" : "has expired"
      let time = Date().formatted(.iso8601)
      return (.tlsUntrusted, "the certificate of \(name) \(flaw): this computer's clock says \(time)", .checkClock)
    }
    let hint: Hint = """
      check the URL; for an organization's own authority use \(setting: "ca_file", "FILE", or: "SSL_CERT_FILE"); if the \
      network has a login page, open it in the browser first
      """
    return (.tlsUntrusted, "the certificate of \(name) is not trusted (name or issuer)", hint)
  }

  private var systemReason: String? {
    switch systemError {
    case 0, EINPROGRESS: nil
    case ECONNREFUSED: "connection refused"
    case EHOSTUNREACH, ENETUNREACH: "no route to it; is this computer online?"
    default: String(cString: strerror(systemError)).startingLowercase
    }
  }
}

extension TransferLimits {
  fileprivate var times: String { "\(connect.milliseconds) ms to connect, \(total.milliseconds) ms in all" }
}

extension Hint {
  static let checkAuthorities: Hint = "check the file, and where it is configured"
}

extension FailureReason {
  /// The server's certificate or the TLS handshake failed.
  package static let tlsUntrusted: Self = "tls_untrusted"
  package static let responseTooLarge: Self = "response_too_large"
  /// The URL or the request is not allowed.
  package static let urlRefused: Self = "url_refused"
  package static let libcurlMissing: Self = "libcurl_missing"
}

extension Failure {
  /// A request to `host` without a response.
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

extension WebURL {
  /// Parses a request's URL.
  init(requesting url: String) throws(Failure) {
    do {
      try self.init(url, .request)
    } catch {
      throw Failure(.urlRefused, host: "", "the URL \(error.reason)")
    }
    // RFC 6749 §3.1, §3.2: a provider's endpoints require TLS.
    guard isSecure || isLoopback else {
      let message = "http is only for this computer (127.0.0.0/8, ::1, localhost); \(name) requires https"
      throw Failure(.urlRefused, host: name, message)
    }
  }

  /// Host and port for messages.
  var name: String { "\(host):\(effectivePort)" }

  /// The URL without its query, for log lines.
  var withoutQuery: String { origin + path }
}
