import CMSAuthCurl
import FoundationEssentials
import Glibc
package import MSAuthCore
import MSAuthUnix

extension CurlSession {
  /// The failure of a transfer without a response, before the handle is reset.
  func failure(_ code: CURLcode, of transfer: Transfer) -> Failure {
    let name = transfer.destination.name
    let words = (curl.pointee.easy_strerror(code).map { String(cString: $0) } ?? "").startingLowercase
    // The status of the proxy's response to CONNECT, or 0.
    let proxyStatus = number(CURLINFO_HTTP_CONNECTCODE)
    if proxyStatus != 0, !(200...299).contains(proxyStatus) {
      return transfer.failure(.unreachable, "the proxy refused to connect to \(name) (status \(proxyStatus))")
    }
    if let proxy = transfer.proxyName, let (verb, reason) = proxyFailure(code, words) {
      let message = "could not \(verb) the proxy \(proxy): \(reason)"
      return transfer.failure(.unreachable, message, hint: transfer.network.proxyHint)
    }
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST:
      return transfer.failure(.unreachable, "could not find \(transfer.destination.host): its name does not resolve")
    case CURLE_COULDNT_RESOLVE_PROXY:
      return transfer.failure(.unreachable, "could not reach \(name): the proxy's name does not resolve")
    case CURLE_COULDNT_CONNECT:
      return transfer.failure(.unreachable, "could not connect to \(name): \(connectionError ?? words)")
    case CURLE_OPERATION_TIMEDOUT:
      let (connect, total) = (transfer.limits.connect.milliseconds, transfer.limits.total.milliseconds)
      let times = "\(connect) ms to connect, \(total) ms in all"
      return transfer.failure(.unreachable, "\(name) did not respond in time (\(times))")
    case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE:
      return transfer.failure(.unreachable, "\(name) closed the connection before its response was complete")
    // The scheme was checked before: libcurl returns "unsupported protocol" for a response in HTTP/0.9.
    case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING, CURLE_HTTP2,
      CURLE_HTTP2_STREAM:
      return transfer.failure(.unreachable, "\(name) sent something other than an HTTP response: \(words)")
    case CURLE_PEER_FAILED_VERIFICATION:
      return certificateFailure(of: transfer)
    case CURLE_SSL_CACERT_BADFILE:
      let file = transfer.network.authorities
      let message = "the trusted certificates could not be read: \(file ?? "the system's file")".printable()
      return transfer.failure(.tlsUntrusted, message, hint: file == nil ? "install ca-certificates" : .checkAuthorities)
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR,
      CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CRL_BADFILE, CURLE_SSL_CLIENTCERT, CURLE_USE_SSL_FAILED:
      let hint: Hint = "check the URL, its scheme and port: the server has no TLS there, or none that can be used"
      return transfer.failure(.tlsUntrusted, "no TLS connection to \(name): \(words)", hint: hint)
    case CURLE_FILESIZE_EXCEEDED:
      return transfer.tooLarge("its body is larger than \(FileError.size(transfer.limits.bodyBytes))")
    case CURLE_URL_MALFORMAT:
      return transfer.failure(.urlRefused, "libcurl rejects the URL: \(words)")
    default:
      return transfer.failure(.libcurlMissing, "the request to \(name) failed: \(words) (libcurl \(code.rawValue))")
    }
  }

  /// What failed before the proxy was passed; nil if it was, or if that is unknown.
  private func proxyFailure(_ code: CURLcode, _ words: String) -> (verb: String, reason: String)? {
    let isConnected = number(CURLINFO_CONNECT_TIME_T) != 0
    return switch code {
    case CURLE_COULDNT_RESOLVE_PROXY: ("find", "its name does not resolve")
    case CURLE_COULDNT_CONNECT: ("connect to", connectionError ?? words)
    case CURLE_OPERATION_TIMEDOUT where !isConnected: ("connect to", "it did not respond in time")
    case CURLE_PROXY: ("get through", words)
    default: nil
    }
  }

  // OpenSSL numbers its results (`X509_V_ERR_…`); GnuTLS sets bits (`GNUTLS_CERT_…`), always the one for invalid.
  private func certificateFailure(of transfer: Transfer) -> Failure {
    let certificate = "the certificate of \(transfer.destination.name)"
    let result = number(CURLINFO_SSL_VERIFYRESULT)
    let isInvalid = result & 1 << 1 != 0
    let isEarly = result == 9 || isInvalid && result & 1 << 9 != 0
    if isEarly || result == 10 || isInvalid && result & 1 << 10 != 0 {
      let flaw = isEarly ? "is not valid yet" : "has expired"
      let message = "\(certificate) \(flaw): this computer's clock shows \(Date().formatted(.iso8601))"
      return transfer.failure(.tlsUntrusted, message, hint: .checkClock)
    }
    let hint: Hint = """
      check the URL; for an organization's own authority use \(setting: "ca_file", "FILE", or: "SSL_CERT_FILE"); if the \
      network has a login page, open it in the browser first
      """
    return transfer.failure(.tlsUntrusted, "\(certificate) is not trusted (name or issuer)", hint: hint)
  }

  /// Why the system could not connect, if known.
  private var connectionError: String? {
    let code = Int32(truncatingIfNeeded: number(CURLINFO_OS_ERRNO))
    return switch code {
    case 0, EINPROGRESS: nil
    case ECONNREFUSED: "connection refused"
    case EHOSTUNREACH, ENETUNREACH: "no route to it; is this computer online?"
    default: String(cString: strerror(code)).startingLowercase
    }
  }
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
  package init(_ reason: FailureReason, host: String = "", _ message: String, hint: Hint? = nil) {
    switch reason {
    case .unreachable:
      let checkNetwork: Hint = "check the network and \(host.printable(limit: 100)), then try again"
      self.init(.providerUnreachable, reason, message, hint: hint ?? checkNetwork)
    case .tlsUntrusted, .responseTooLarge: self.init(.invalidResponse, reason, message, hint: hint)
    case .urlRefused: self.init(.invalidConfiguration, reason, message, hint: hint)
    default: self.init(.internalError, reason, message, hint: hint)
    }
  }
}

extension WebURL {
  /// Parses a request's URL.
  init(requesting url: String) throws(Failure) {
    do {
      try self.init(url, .request)
    } catch {
      throw Failure(.urlRefused, "the URL \(error.reason)")
    }
    // RFC 6749 §3.1, §3.2: a provider's endpoints require TLS.
    guard isSecure || isLoopback else {
      let message = "http is only for this computer (127.0.0.0/8, ::1, localhost); \(name) requires https"
      throw Failure(.urlRefused, host: name, message)
    }
  }

  /// Host and port for messages.
  var name: String { "\(host):\(effectivePort)" }
}
