import CLibCurl
import Core

/// Writes a transfer into a libcurl handle, option by option.
struct CurlSettings {
  let curl: UnsafePointer<libcurl>
  let easy: UnsafeMutableRawPointer
  /// The number of the first option that was refused, although the transfer is not safe or not right without it.
  private(set) var refusedOption: Int32?

  init(curl: UnsafePointer<libcurl>, easy: UnsafeMutableRawPointer) {
    self.curl = curl
    self.easy = easy
  }

  /// Seconds for which an idle connection is reused: servers close theirs somewhat later, and a request that meets the
  /// closing would have to be sent twice.
  private static let maximumIdleAge = 20

  /// Sets the transfer's options, and those of libcurl's defaults that security depends on.
  mutating func apply(
    _ transfer: Transfer,
    headers: UnsafeMutablePointer<curl_slist>?,
    body: UnsafeMutableBufferPointer<UInt8>,
    receiver: UnsafeMutableRawPointer
  ) {
    setTarget(transfer)
    setTrust(transfer.network)
    setRoute(transfer)
    setLimits(transfer)
    setContent(transfer.request.method, headers: headers, body: body)
    setReceiver(receiver)
  }

  private mutating func setTarget(_ transfer: Transfer) {
    set(CURLOPT_URL, transfer.request.url)
    set(CURLOPT_USERAGENT, transfer.userAgent)
    set(CURLOPT_FOLLOWLOCATION, 0)
    set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
    set(CURLOPT_HTTP09_ALLOWED, 0)
    // A second guard, for a URL that libcurl would read in another way than WebURL did.
    let isSecure = transfer.destination.isSecure
    let byName = Int32(libcurl_option_protocols_text)
    if libcurl_set_text(curl, easy, byName, isSecure ? "https" : "http") != CURLE_OK {
      let byMask = Int32(libcurl_option_protocols_mask)
      check(byMask, libcurl_set_long(curl, easy, byMask, Int(isSecure ? CURLPROTO_HTTPS : CURLPROTO_HTTP)))
    }
  }

  private mutating func setTrust(_ network: NetworkSettings) {
    set(CURLOPT_SSL_VERIFYPEER, 1)
    set(CURLOPT_SSL_VERIFYHOST, 2)
    // RFC 9325 §3.1.1: nothing older than TLS 1.2.
    set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    guard network.namesAuthorities else { return }
    // Both kinds, also the one that is nil: libcurl would otherwise trust the system's authorities of that kind too.
    set(CURLOPT_CAINFO, network.authorities)
    set(CURLOPT_PROXY_CAINFO, network.authorities)
    set(CURLOPT_CAPATH, network.authorityDirectory)
    set(CURLOPT_PROXY_CAPATH, network.authorityDirectory)
  }

  private mutating func setRoute(_ transfer: Transfer) {
    // An empty proxy keeps libcurl from asking the environment itself.
    set(CURLOPT_PROXY, transfer.destination.isLoopback ? "" : transfer.network.proxy)
    set(CURLOPT_NOPROXY, transfer.network.noProxy)
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    set(CURLOPT_MAXAGE_CONN, Self.maximumIdleAge)
  }

  private mutating func setLimits(_ transfer: Transfer) {
    set(CURLOPT_CONNECTTIMEOUT_MS, transfer.timeouts.connect.milliseconds)
    set(CURLOPT_TIMEOUT_MS, transfer.timeouts.total.milliseconds)
    // Ends a transfer before its body when Content-Length is too large; the collector counts the bytes received.
    let maximumSize = Int32(CURLOPT_MAXFILESIZE_LARGE.rawValue)
    check(maximumSize, libcurl_set_size(curl, easy, maximumSize, Int64(transfer.limits.maximumBodyBytes)))
    // Timeouts by signal would need a process of one thread.
    set(CURLOPT_NOSIGNAL, 1)
    // A cancelled request does not wait until its name is resolved; with an older library it does.
    _ = libcurl_set_long(curl, easy, Int32(libcurl_option_quick_exit), 1)
  }

  private mutating func setContent(
    _ method: HTTPRequest.Method,
    headers: UnsafeMutablePointer<curl_slist>?,
    body: UnsafeMutableBufferPointer<UInt8>
  ) {
    // All the encodings that this libcurl can decode.
    set(CURLOPT_ACCEPT_ENCODING, "")
    let fields = Int32(CURLOPT_HTTPHEADER.rawValue)
    check(fields, libcurl_set_list(curl, easy, fields, headers))
    switch method {
    case .get:
      set(CURLOPT_HTTPGET, 1)
    case .delete where body.isEmpty:
      set(CURLOPT_HTTPGET, 1)
      set(CURLOPT_CUSTOMREQUEST, method.rawValue)
    case .post, .patch, .put, .delete:
      set(CURLOPT_POST, 1)
      if method != .post { set(CURLOPT_CUSTOMREQUEST, method.rawValue) }
      let size = Int32(CURLOPT_POSTFIELDSIZE_LARGE.rawValue)
      check(size, libcurl_set_size(curl, easy, size, Int64(body.count)))
      let bytes = Int32(CURLOPT_POSTFIELDS.rawValue)
      // Not copied, so that libcurl keeps no code and no token after the transfer.
      check(bytes, libcurl_set_bytes(curl, easy, bytes, body.baseAddress))
    }
  }

  private mutating func setReceiver(_ receiver: UnsafeMutableRawPointer) {
    let header = Int32(CURLOPT_HEADERFUNCTION.rawValue)
    let takeHeader: libcurl_receive = { bytes, size, count, receiver in
      ResponseCollector.receive(bytes, size * count, receiver) { $0.takeHeader($1) }
    }
    check(
      header,
      libcurl_set_receiver(curl, easy, header, takeHeader, Int32(CURLOPT_HEADERDATA.rawValue), receiver)
    )
    let body = Int32(CURLOPT_WRITEFUNCTION.rawValue)
    let takeBody: libcurl_receive = { bytes, size, count, receiver in
      ResponseCollector.receive(bytes, size * count, receiver) { $0.takeBody($1) }
    }
    check(body, libcurl_set_receiver(curl, easy, body, takeBody, Int32(CURLOPT_WRITEDATA.rawValue), receiver))
  }

  private mutating func set(_ option: CURLoption, _ value: Int) {
    let option = Int32(option.rawValue)
    check(option, libcurl_set_long(curl, easy, option, value))
  }

  private mutating func set(_ option: CURLoption, _ value: String?) {
    let option = Int32(option.rawValue)
    check(option, libcurl_set_text(curl, easy, option, value))
  }

  private mutating func check(_ option: Int32, _ code: CURLcode) {
    if code != CURLE_OK, refusedOption == nil { refusedOption = option }
  }
}

extension Duration {
  /// Whole milliseconds, at least one: libcurl reads zero as its own default.
  var milliseconds: Int {
    let (seconds, attoseconds) = components
    return max(1, Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
  }
}
