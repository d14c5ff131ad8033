import CLibCurl
import Core
import FoundationEssentials
import Glibc
import Unix

/// libcurl's error for a transfer without a response.
struct CurlFailure {
  let code: CURLcode
  /// `errno` of the failed connection, 0 when there is none.
  let systemError: Int32
  /// The status of the proxy's response to CONNECT, 0 when there was none.
  let proxyStatus: Int
  /// Whether a connection was made, to the server or to its proxy.
  let isConnected: Bool
  /// What the TLS library found wrong with the certificate, 0 when nothing.
  let verification: Int
  /// libcurl's message for the code.
  let description: String

  /// The error that a caller sees.
  func error(_ transfer: Transfer) -> Failure {
    let name = transfer.destination.name
    let words = description.startingLowercase
    if proxyStatus != 0, !(200...299).contains(proxyStatus) {
      return transfer.failure(.unreachable, "the proxy refused to connect to \(name) (status \(proxyStatus))")
    }
    if let proxy = transfer.proxyName, let what = failureOfProxy(words) {
      return transfer.failure(
        .unreachable,
        "could not \(what.verb) the proxy \(proxy): \(what.reason)",
        hint: transfer.network.proxyHint
      )
    }
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST:
      return transfer.failure(.unreachable, "could not find \(transfer.destination.host): its name does not resolve")
    case CURLE_COULDNT_RESOLVE_PROXY:
      return transfer.failure(.unreachable, "could not reach \(name): the proxy's name does not resolve")
    case CURLE_COULDNT_CONNECT:
      return transfer.failure(.unreachable, "could not connect to \(name): \(systemReason ?? words)")
    case CURLE_OPERATION_TIMEDOUT:
      return transfer.failure(.unreachable, "\(name) did not answer in time (\(transfer.timeouts.description))")
    case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE:
      return transfer.failure(.unreachable, "\(name) closed the connection before its response was complete")
    // The scheme was checked before: libcurl says "unsupported protocol" of a reply in HTTP/0.9, which is any reply.
    case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING, CURLE_HTTP2,
      CURLE_HTTP2_STREAM:
      return transfer.failure(.unreachable, "\(name) sent something other than an HTTP response: \(words)")
    case CURLE_PEER_FAILED_VERIFICATION:
      if let flaw = dateFlaw {
        // Whoever reads it knows what time it is, and so which of the two is wrong.
        let time = Date().formatted(.iso8601)
        return transfer.failure(
          .tlsUntrusted,
          "the certificate of \(name) \(flaw): this computer's clock says \(time)",
          hint: .checkClock
        )
      }
      return transfer.failure(
        .tlsUntrusted,
        "the certificate of \(name) is not trusted (name or issuer)",
        hint: """
          check the URL; the certificate of an organization's own authority goes into \
          \(setting: "ca_file", "FILE", or: "the file that SSL_CERT_FILE names"); a network with a login \
          page of its own wants that opened in the browser first
          """
      )
    case CURLE_SSL_CACERT_BADFILE:
      return transfer.failure(
        .tlsUntrusted,
        "the trusted certificates could not be read: \(transfer.network.authorities ?? "the system's file")"
          .printable(),
        hint: transfer.network.authorities == nil
          ? "install ca-certificates" : "check the file, and where it is named"
      )
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR,
      CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CRL_BADFILE, CURLE_SSL_CLIENTCERT, CURLE_USE_SSL_FAILED:
      return transfer.failure(
        .tlsUntrusted,
        "no TLS connection to \(name): \(words)",
        hint: "check the URL, its scheme and port: the server there has no TLS, or none that can be used"
      )
    case CURLE_FILESIZE_EXCEEDED:
      return transfer.failure(
        .responseTooLarge,
        "the response of \(name) is too large: its body is larger than \(FileError.size(transfer.limits.maximumBodyBytes))"
      )
    case CURLE_URL_MALFORMAT:
      return transfer.failure(.urlRefused, "libcurl refuses the URL: \(words)")
    default:
      return transfer.failure(.libcurlMissing, "the request to \(name) failed: \(words) (libcurl \(code.rawValue))")
    }
  }

  /// What went wrong on the way to the proxy; nil where it was reached, or what went wrong does not show it.
  private func failureOfProxy(_ words: String) -> (verb: String, reason: String)? {
    switch code {
    case CURLE_COULDNT_RESOLVE_PROXY: ("find", "its name does not resolve")
    case CURLE_COULDNT_CONNECT: ("connect to", systemReason ?? words)
    case CURLE_OPERATION_TIMEDOUT where !isConnected: ("connect to", "it did not answer in time")
    // What it answered is no answer of such a proxy, or it has not let the request pass.
    case CURLE_PROXY: ("get through", words)
    default: nil
    }
  }

  /// What the clock has to do with an untrusted certificate.
  ///
  /// OpenSSL numbers its findings (`X509_V_ERR_…`), GnuTLS sets bits (`GNUTLS_CERT_…`), that of an invalid one always.
  private var dateFlaw: String? {
    let isInvalid = verification & 1 << 1 != 0
    if verification == 9 || isInvalid && verification & 1 << 9 != 0 { return "is not valid yet" }
    if verification == 10 || isInvalid && verification & 1 << 10 != 0 { return "has expired" }
    return nil
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

extension Timeouts {
  fileprivate var description: String {
    "\(connect.milliseconds) ms to connect, \(total.milliseconds) ms in all"
  }
}
