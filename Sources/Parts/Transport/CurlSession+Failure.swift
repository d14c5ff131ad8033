import CMSAuthCurl
import FoundationEssentials
import Glibc
import MSAuthCore
import MSAuthUnix

extension CurlSession {
  /// The failure of a transfer without a response, before the handle is reset.
  func failure(_ code: CURLcode, of transfer: Transfer) -> AuthenticationError {
    let name = transfer.destination.name
    let words = (curl.pointee.easy_strerror(code).map { String(cString: $0) } ?? "").startingLowercase
    if let proxy = transfer.proxyName, let failure = proxyFailure(code, words, of: proxy, transfer) { return failure }
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST:
      return transfer.failure(.unreachable, "couldn't find \(transfer.destination.host): its name doesn't resolve")
    case CURLE_COULDNT_CONNECT:
      return transfer.failure(.unreachable, "couldn't connect to \(name): \(connectionError ?? words)")
    case CURLE_OPERATION_TIMEDOUT:
      // A stream has no total limit.
      let isStream = transfer.request.receiver != nil
      if isStream, number(CURLINFO_PRETRANSFER_TIME_T) > 0 {
        return transfer.failure(.unreachable, "\(name) stalled: it sent nothing for \(transfer.limits.silence.words)")
      }
      let total = isStream ? "" : ", \(transfer.limits.total.words) in all"
      let times = "\(transfer.limits.connect.words) to connect\(total)"
      return transfer.failure(.unreachable, "\(name) didn't respond in time (\(times))")
    case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE:
      return transfer.failure(.unreachable, "\(name) closed the connection before its response was complete")
    // The scheme was checked before: libcurl returns "unsupported protocol" for a response in HTTP/0.9.
    case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING, CURLE_HTTP2,
      CURLE_HTTP2_STREAM:
      return transfer.failure(.unreachable, "\(name) sent something other than an HTTP response: \(words)")
    case CURLE_PEER_FAILED_VERIFICATION:
      return certificateFailure(of: name, CURLINFO_SSL_VERIFYRESULT, transfer)
    case CURLE_SSL_CACERT_BADFILE:
      let network = transfer.network
      let message = "the trusted certificates couldn't be read: \(network.caFile ?? "the system's file")".printable()
      let hint: Hint = network.caFile == nil ? "install ca-certificates" : network.checkCASetting
      return transfer.failure(.tlsUntrusted, message, hint: hint)
    case _ where Self.handshakeFailures.contains(code.rawValue):
      let hint: Hint = "check the URL, its scheme and port: the server has no TLS there, or none that can be used"
      return transfer.failure(.tlsUntrusted, "no TLS connection to \(name): \(words)", hint: hint)
    case CURLE_FILESIZE_EXCEEDED:
      return transfer.tooLarge("its body is larger than \(FileError.size(transfer.limits.bodyBytes))")
    case CURLE_URL_MALFORMAT:
      return transfer.failure(.urlRefused, "libcurl rejects the URL: \(words)")
    default:
      return transfer.failure(.transferFailed, "the request to \(name) failed: \(words) (libcurl \(code.rawValue))")
    }
  }

  private static let handshakeFailures = Set(
    [
      CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR,
      CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CRL_BADFILE, CURLE_SSL_CLIENTCERT, CURLE_USE_SSL_FAILED,
    ].map(\.rawValue)
  )

  /// The failure of a proxy, which is named; `nil` if the request got through it, or may have.
  private func proxyFailure(_ code: CURLcode, _ words: String, of proxy: String, _ transfer: Transfer)
    -> AuthenticationError?
  {
    let (network, name) = (transfer.network, transfer.destination.name)
    func failure(_ message: String, _ hint: Hint, _ fault: ProxyFault = .unusable) -> AuthenticationError {
      transfer.failure(.unreachable, message, hint: hint).blaming(fault)
    }
    // The status of the response to CONNECT, or 0.
    let status = number(CURLINFO_HTTP_CONNECTCODE)
    switch status {
    case 0: break
    case 200...299: return nil
    case 407:
      let verb = network.proxyHasUser ? "rejected the user and the password" : "requires a user and a password"
      return failure("\(proxy) \(verb) (status 407)", network.checkCredentials)
    default:
      let message = "\(proxy) refused to connect to \(name) (status \(status))"
      return failure(message, NetworkSettings.allowHost(name), .rejected)
    }
    switch code {
    case CURLE_COULDNT_RESOLVE_PROXY:
      return failure("couldn't find \(proxy): its name doesn't resolve", network.checkProxy)
    case CURLE_COULDNT_CONNECT:
      return failure("couldn't connect to \(proxy): \(connectionError ?? words)", network.checkProxy)
    case CURLE_OPERATION_TIMEDOUT where number(CURLINFO_CONNECT_TIME_T) == 0:
      return failure("couldn't connect to \(proxy): it didn't respond in time", network.checkProxy)
    case CURLE_PROXY: return socksFailure(of: proxy, words, transfer)
    default: break
    }
    // A reused connection goes through the proxy; with SOCKS, libcurl doesn't report whether a new one does.
    guard !network.usesSOCKS, number(CURLINFO_NUM_CONNECTS) > 0 else { return nil }
    switch code {
    case CURLE_PEER_FAILED_VERIFICATION:
      return certificateFailure(of: proxy, CURLINFO_PROXY_SSL_VERIFYRESULT, transfer).blaming(.unusable)
    case CURLE_OPERATION_TIMEDOUT:
      return failure("couldn't get through \(proxy): it didn't respond in time", network.checkProxyScheme)
    case _ where Self.handshakeFailures.contains(code.rawValue):
      return failure("no TLS connection to \(proxy): \(words)", network.checkProxyScheme)
    case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE, CURLE_WEIRD_SERVER_REPLY,
      CURLE_UNSUPPORTED_PROTOCOL, CURLE_HTTP2, CURLE_HTTP2_STREAM:
      return failure("couldn't get through \(proxy): it sent no HTTP response", network.checkProxyScheme)
    default: return nil
    }
  }

  private func socksFailure(of proxy: String, _ words: String, _ transfer: Transfer) -> AuthenticationError {
    let (network, name) = (transfer.network, transfer.destination.name)
    let (message, hint, fault): (String, Hint, ProxyFault?) =
      switch CURLproxycode(UInt32(clamping: number(CURLINFO_PROXY_ERROR))) {
      case CURLPX_RESOLVE_HOST:
        (
          "couldn't find \(transfer.destination.host): its name doesn't resolve",
          "use socks5h:// if only the proxy can resolve it", nil
        )
      case CURLPX_NO_AUTH, CURLPX_USER_REJECTED, CURLPX_IDENTD, CURLPX_IDENTD_DIFFER:
        ("\(proxy) rejected the user and the password, or requires them", network.checkCredentials, .unusable)
      case CURLPX_REPLY_CONNECTION_REFUSED, CURLPX_REPLY_GENERAL_SERVER_FAILURE, CURLPX_REPLY_HOST_UNREACHABLE,
        CURLPX_REPLY_NETWORK_UNREACHABLE, CURLPX_REPLY_NOT_ALLOWED, CURLPX_REPLY_TTL_EXPIRED,
        CURLPX_REPLY_UNASSIGNED, CURLPX_REQUEST_FAILED:
        ("\(proxy) refused to connect to \(name)", NetworkSettings.allowHost(name), .rejected)
      default: ("couldn't get through \(proxy): \(words)", network.checkProxyScheme, .unusable)
      }
    return transfer.failure(.unreachable, message, hint: hint).blaming(fault)
  }

  // OpenSSL returns a number (`X509_V_ERR_…`), GnuTLS bits (`GNUTLS_CERT_…`), among them always the one for invalid.
  private func certificateFailure(of name: String, _ info: CURLINFO, _ transfer: Transfer) -> AuthenticationError {
    let certificate = "the certificate of \(name)"
    // A proxy that can't be used isn't a fault of the provider.
    let reason: AuthenticationError.Reason = info == CURLINFO_SSL_VERIFYRESULT ? .tlsUntrusted : .unreachable
    let result = number(info)
    let isInvalid = result & 1 << 1 != 0
    let isEarly = result == 9 || isInvalid && result & 1 << 9 != 0
    if isEarly || result == 10 || isInvalid && result & 1 << 10 != 0 {
      let flaw = isEarly ? "isn't valid yet" : "has expired"
      let message = "\(certificate) \(flaw): this computer's clock shows \(Date().formatted(.iso8601))"
      return transfer.failure(reason, message, hint: .checkClock)
    }
    let what: Hint = info == CURLINFO_SSL_VERIFYRESULT ? "the URL" : transfer.network.proxySetting
    let hint: Hint = """
      check \(what); for an organization's own authority use \(setting: "ca_file", "FILE", or: "SSL_CERT_FILE"); if the \
      network has a login page, open it in the browser first
      """
    return transfer.failure(reason, "\(certificate) isn't trusted (name or issuer)", hint: hint)
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
