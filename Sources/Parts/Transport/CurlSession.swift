import CMSAuthCurl
import Glibc
import MSAuthCore
import MSAuthUnix

/// A checked request with everything that its transfer needs.
struct Transfer: Sendable {
  let request: HTTPRequest
  let destination: WebURL
  let headerLines: [String]
  let userAgent: String
  let limits: TransferLimits
  let network: NetworkSettings

  /// The proxy of the request, for messages.
  var proxyName: String? { network.proxyName(for: destination) }

  func failure(_ reason: AuthenticationError.Reason, _ message: String, hint: Hint? = nil) -> AuthenticationError {
    AuthenticationError(reason, host: destination.name, message, hint: hint)
  }

  func tooLarge(_ what: String) -> AuthenticationError {
    failure(.responseTooLarge, "the response of \(destination.name) is too large: \(what)")
  }
}

/// One libcurl handle and its connections, used by one thread at a time.
///
/// It is reused: the requests of a sign-in go to few hosts, and each new connection costs a TLS handshake.
final class CurlSession: @unchecked Sendable {
  let curl: UnsafePointer<libcurl>
  let easy: UnsafeMutableRawPointer
  private let multi: UnsafeMutableRawPointer

  /// Milliseconds between two checks for cancellation.
  private static let pollInterval: Int32 = 100
  /// Microseconds before the next attempt after a failed poll.
  private static let pollPause: useconds_t = 10_000

  init?(_ curl: UnsafePointer<libcurl>) {
    self.curl = curl
    guard let easy = curl.pointee.easy_init() else { return nil }
    guard let multi = curl.pointee.multi_init() else {
      curl.pointee.easy_cleanup(easy)
      return nil
    }
    self.easy = easy
    self.multi = multi
  }

  deinit {
    // Closing a connection is a TLS call too; at the end of the process the kernel closes it.
    _ = ShutdownBarrier.pass {
      curl.pointee.easy_cleanup(easy)
      _ = curl.pointee.multi_cleanup(multi)
    }
  }

  /// Performs one request and blocks until it has ended.
  func perform(_ transfer: Transfer, until cancellation: Cancellation) throws(AuthenticationError) -> HTTPResponse {
    let collector = ResponseCollector(transfer)
    var headers: UnsafeMutablePointer<curl_slist>?
    defer {
      // The handle is reused, without the request's secrets and pointers.
      curl.pointee.easy_reset(easy)
      curl.pointee.slist_free_all(headers)
      withExtendedLifetime(collector) {}
    }
    for line in transfer.headerLines {
      guard let longer = curl.pointee.slist_append(headers, line) else {
        throw transfer.failure(.libcurlMissing, "out of memory")
      }
      headers = longer
    }
    if let option = setOptions(of: transfer, headers, Unmanaged.passUnretained(collector).toOpaque()) {
      let message = "this libcurl doesn't support the option \(option)"
      throw transfer.failure(.libcurlMissing, message, hint: "update libcurl")
    }
    guard let code = run(until: cancellation, unlessSent: transfer.request.mustComplete) else {
      throw AuthenticationError.canceled
    }
    if let overflow = collector.overflow { throw transfer.tooLarge(overflow) }
    // libcurl accepts a connection that ends before the header does.
    guard code == CURLE_OK || collector.isEnded, collector.isHeaderComplete else {
      throw failure(code == CURLE_OK ? CURLE_PARTIAL_FILE : code, of: transfer)
    }
    return HTTPResponse(status: number(CURLINFO_RESPONSE_CODE), headers: collector.headers, body: collector.body)
  }

  /// curl_easy_perform would check for cancellation only once a second.
  private func run(until cancellation: Cancellation, unlessSent mustComplete: Bool) -> CURLcode? {
    guard curl.pointee.multi_add_handle(multi, easy) == CURLM_OK else { return CURLE_FAILED_INIT }
    defer { _ = curl.pointee.multi_remove_handle(multi, easy) }
    if mustComplete { CancellationShield.noteRequest() }
    var running: Int32 = 1
    while running > 0 {
      let isSent = mustComplete && number(CURLINFO_REQUEST_SIZE) > 0
      if cancellation.isRaised || ShutdownBarrier.isClosed, !isSent || ShutdownBarrier.isOver { return nil }
      guard curl.pointee.multi_perform(multi, &running) == CURLM_OK else { return CURLE_FAILED_INIT }
      if running > 0, curl.pointee.multi_poll(multi, nil, 0, Self.pollInterval, nil) != CURLM_OK {
        // Out of memory, perhaps only briefly.
        usleep(Self.pollPause)
      }
    }
    return libcurl_outcome(curl, multi)
  }

  func number(_ info: CURLINFO) -> Int { Int(libcurl_get_number(curl, easy, info)) }
}

extension CurlSession {
  /// Sets the options of a transfer, and the defaults that security depends on; returns the first unsupported one.
  private func setOptions(
    of transfer: Transfer,
    _ headers: UnsafeMutablePointer<curl_slist>?,
    _ receiver: UnsafeMutableRawPointer
  ) -> UInt32? {
    let (curl, easy) = (curl, easy)
    var refused: UInt32?
    func check(_ option: CURLoption, _ code: CURLcode) {
      if code != CURLE_OK, refused == nil { refused = option.rawValue }
    }
    func set(_ option: CURLoption, _ value: Int) { check(option, libcurl_set_number(curl, easy, option, Int64(value))) }
    func set(_ option: CURLoption, _ value: String?) { check(option, libcurl_set_pointer(curl, easy, option, value)) }
    func set(_ option: CURLoption, for data: CURLoption, _ receive: libcurl_receive) {
      check(option, libcurl_set_function(curl, easy, option, receive))
      check(data, libcurl_set_pointer(curl, easy, data, receiver))
    }

    set(CURLOPT_URL, transfer.request.url)
    set(CURLOPT_USERAGENT, transfer.userAgent)
    set(CURLOPT_FOLLOWLOCATION, 0)
    set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
    set(CURLOPT_HTTP09_ALLOWED, 0)
    // A second guard, in case libcurl parses the URL differently from WebURL.
    let isSecure = transfer.destination.isSecure
    if libcurl_set_pointer(curl, easy, libcurl_option_protocols_text, isSecure ? "https" : "http") != CURLE_OK {
      set(libcurl_option_protocols_mask, Int(isSecure ? CURLPROTO_HTTPS : CURLPROTO_HTTP))
    }

    set(CURLOPT_SSL_VERIFYPEER, 1)
    set(CURLOPT_SSL_VERIFYHOST, 2)
    // RFC 9325 §3.1.1: TLS 1.2 or later.
    set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    let network = transfer.network
    if network.caFile != nil || network.caDirectory != nil {
      // Both kinds, even if nil: libcurl would otherwise trust the system's authorities of that kind too.
      set(CURLOPT_CAINFO, network.caFile)
      set(CURLOPT_PROXY_CAINFO, network.caFile)
      set(CURLOPT_CAPATH, network.caDirectory)
      set(CURLOPT_PROXY_CAPATH, network.caDirectory)
    }

    // An empty proxy keeps libcurl from reading the environment.
    set(CURLOPT_PROXY, transfer.destination.isLoopback ? "" : network.proxy)
    set(CURLOPT_NOPROXY, network.noProxy)
    // If a reused connection ends without a response, libcurl sends the request again by itself.
    if !transfer.request.isRepeatable { set(CURLOPT_FRESH_CONNECT, 1) }
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    set(CURLOPT_MAXAGE_CONN, Int(transfer.limits.idle.components.seconds))

    set(CURLOPT_CONNECTTIMEOUT_MS, transfer.limits.connect.milliseconds)
    if transfer.request.receiver == nil {
      set(CURLOPT_TIMEOUT_MS, transfer.limits.total.milliseconds)
      // Ends a transfer early if Content-Length is too large; the collector counts the received bytes.
      set(CURLOPT_MAXFILESIZE_LARGE, transfer.limits.bodyBytes)
    } else {
      // The peer may have disappeared without closing the connection.
      set(CURLOPT_TCP_KEEPALIVE, 1)
      // Or it may have stopped sending.
      if !transfer.request.mayPause {
        set(CURLOPT_LOW_SPEED_LIMIT, 1)
        set(CURLOPT_LOW_SPEED_TIME, Int(transfer.limits.silence.components.seconds))
      }
    }
    // Timeouts by signal would need a single-threaded process.
    set(CURLOPT_NOSIGNAL, 1)
    // A canceled request doesn't wait for name resolution, except with an older library.
    _ = libcurl_set_number(curl, easy, libcurl_option_quick_exit, 1)

    // All encodings that this libcurl can decode.
    set(CURLOPT_ACCEPT_ENCODING, "")
    check(CURLOPT_HTTPHEADER, libcurl_set_pointer(curl, easy, CURLOPT_HTTPHEADER, headers))
    let method = transfer.request.method
    let body = transfer.request.body?.revealed ?? ""
    let content = transfer.request.content
    if method == .get || method == .delete && body.isEmpty && content.isEmpty {
      set(CURLOPT_HTTPGET, 1)
    } else if !content.isEmpty {
      set(CURLOPT_POST, 1)
      set(CURLOPT_POSTFIELDSIZE_LARGE, content.count)
      let option = CURLOPT_COPYPOSTFIELDS
      check(option, content.withUnsafeBytes { libcurl_set_pointer(curl, easy, option, $0.baseAddress) })
    } else {
      set(CURLOPT_POST, 1)
      set(CURLOPT_POSTFIELDSIZE_LARGE, body.utf8.count)
      set(CURLOPT_COPYPOSTFIELDS, body)
    }
    if method != .get, method != .post { set(CURLOPT_CUSTOMREQUEST, method.rawValue) }

    set(CURLOPT_HEADERFUNCTION, for: CURLOPT_HEADERDATA) { bytes, size, count, receiver in
      ResponseCollector.receive(bytes, size * count, receiver) { $0.takeHeader($1) }
    }
    set(CURLOPT_WRITEFUNCTION, for: CURLOPT_WRITEDATA) { bytes, size, count, receiver in
      ResponseCollector.receive(bytes, size * count, receiver) { $0.takeBody($1) }
    }
    return refused
  }
}

extension Duration {
  /// Whole milliseconds, at least one: libcurl reads zero as its default.
  var milliseconds: Int {
    let (seconds, attoseconds) = components
    return max(1, Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
  }
}
