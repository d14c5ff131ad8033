import CMSAuthCurl
import MSAuthCore

/// Sets the options of one transfer, among them the defaults that security depends on.
struct CurlOptions {
  private let curl: UnsafePointer<libcurl>
  private let easy: UnsafeMutableRawPointer
  private let transfer: Transfer
  /// The first option that this libcurl doesn't support.
  private(set) var unsupported: UInt32?

  init(_ curl: UnsafePointer<libcurl>, _ easy: UnsafeMutableRawPointer, _ transfer: Transfer) {
    (self.curl, self.easy, self.transfer) = (curl, easy, transfer)
  }

  mutating func set(headers: UnsafeMutablePointer<curl_slist>?, receiver: UnsafeMutableRawPointer) {
    setProtocol()
    setTrust()
    setConnection()
    setLimits()
    setRequest(headers)
    set(CURLOPT_HEADERFUNCTION, for: CURLOPT_HEADERDATA, receiver) { bytes, size, count, receiver in
      ResponseCollector.receive(bytes, size * count, receiver) { $0.takeHeader($1) }
    }
    set(CURLOPT_WRITEFUNCTION, for: CURLOPT_WRITEDATA, receiver) { bytes, size, count, receiver in
      ResponseCollector.receive(bytes, size * count, receiver) { $0.takeBody($1) }
    }
  }

  private mutating func setProtocol() {
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
  }

  private mutating func setTrust() {
    set(CURLOPT_SSL_VERIFYPEER, 1)
    set(CURLOPT_SSL_VERIFYHOST, 2)
    // RFC 9325 §3.1.1: TLS 1.2 or later.
    set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    let network = transfer.network
    guard network.caFile != nil || network.caDirectory != nil else { return }
    // Both kinds, even if `nil`: libcurl would otherwise trust the system's authorities of that kind too.
    set(CURLOPT_CAINFO, network.caFile)
    set(CURLOPT_PROXY_CAINFO, network.caFile)
    set(CURLOPT_CAPATH, network.caDirectory)
    set(CURLOPT_PROXY_CAPATH, network.caDirectory)
  }

  private mutating func setConnection() {
    // An empty proxy keeps libcurl from reading the environment.
    set(CURLOPT_PROXY, transfer.destination.isLoopback ? "" : transfer.network.proxy)
    set(CURLOPT_NOPROXY, transfer.network.noProxy)
    // If a reused connection ends without a response, libcurl sends the request again by itself.
    if !transfer.request.isRepeatable { set(CURLOPT_FRESH_CONNECT, 1) }
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    set(CURLOPT_MAXAGE_CONN, Int(transfer.limits.idle.components.seconds))
  }

  private mutating func setLimits() {
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
  }

  private mutating func setRequest(_ headers: UnsafeMutablePointer<curl_slist>?) {
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
  }
}

extension CurlOptions {
  private mutating func check(_ option: CURLoption, _ code: CURLcode) {
    if code != CURLE_OK, unsupported == nil { unsupported = option.rawValue }
  }

  private mutating func set(_ option: CURLoption, _ value: Int) {
    check(option, libcurl_set_number(curl, easy, option, Int64(value)))
  }

  private mutating func set(_ option: CURLoption, _ value: String?) {
    check(option, libcurl_set_pointer(curl, easy, option, value))
  }

  private mutating func set(
    _ option: CURLoption,
    for data: CURLoption,
    _ receiver: UnsafeMutableRawPointer,
    _ receive: libcurl_receive
  ) {
    check(option, libcurl_set_function(curl, easy, option, receive))
    check(data, libcurl_set_pointer(curl, easy, data, receiver))
  }
}

extension Duration {
  /// Whole milliseconds, at least one: libcurl reads zero as its default.
  var milliseconds: Int {
    let (seconds, attoseconds) = components
    return max(1, Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
  }
}
