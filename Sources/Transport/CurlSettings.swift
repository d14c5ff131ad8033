import CLibCurl

/// Writes a plan into a libcurl handle, option by option.
struct CurlSettings {
  let curl: UnsafePointer<libcurl>
  let easy: UnsafeMutableRawPointer
  /// The number of the first option that was refused, although the transfer is not safe or not right without it.
  private(set) var refused: Int32?

  init(curl: UnsafePointer<libcurl>, easy: UnsafeMutableRawPointer) {
    self.curl = curl
    self.easy = easy
  }

  /// Seconds that a connection may lie idle: servers close theirs after some more, and a request that meets the closing
  /// would have to be sent twice.
  private static let idleAge = 20

  /// Sets what the plan says, and those of libcurl's defaults that security rests on.
  ///
  /// - Parameters:
  ///   - plan: The checked request.
  ///   - headers: Kept by the caller until the transfer ended, as are the next two.
  ///   - body: The bytes of a POST.
  ///   - receiver: An unretained ``ResponseCollector``.
  mutating func apply(
    _ plan: TransferPlan,
    headers: UnsafeMutablePointer<curl_slist>?,
    body: UnsafeMutableBufferPointer<UInt8>,
    receiver: UnsafeMutableRawPointer
  ) {
    setTarget(plan)
    setTrust(plan.network)
    setRoute(plan)
    setBounds(plan)
    setContent(plan.request.method, headers: headers, body: body)
    setReceiver(receiver)
  }

  private mutating func setTarget(_ plan: TransferPlan) {
    set(CURLOPT_URL, plan.request.url)
    set(CURLOPT_USERAGENT, plan.userAgent)
    set(CURLOPT_FOLLOWLOCATION, 0)
    set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
    set(CURLOPT_HTTP09_ALLOWED, 0)
    // A second guard, for a URL that libcurl would read in another way than Destination did.
    let isSecure = plan.destination.isSecure
    let byName = Int32(libcurl_option_protocols_text)
    if libcurl_set_text(curl, easy, byName, isSecure ? "https" : "http") != CURLE_OK {
      let byMask = Int32(libcurl_option_protocols_mask)
      note(byMask, libcurl_set_long(curl, easy, byMask, Int(isSecure ? CURLPROTO_HTTPS : CURLPROTO_HTTP)))
    }
  }

  private mutating func setTrust(_ network: NetworkSettings) {
    set(CURLOPT_SSL_VERIFYPEER, 1)
    set(CURLOPT_SSL_VERIFYHOST, 2)
    // RFC 9325 §3.1.1: nothing older than TLS 1.2.
    set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    if let file = network.authorities {
      set(CURLOPT_CAINFO, file)
      set(CURLOPT_PROXY_CAINFO, file)
    }
    if let folder = network.authorityFolder {
      set(CURLOPT_CAPATH, folder)
      set(CURLOPT_PROXY_CAPATH, folder)
    }
  }

  private mutating func setRoute(_ plan: TransferPlan) {
    // An empty proxy keeps libcurl from asking the environment itself.
    set(CURLOPT_PROXY, plan.destination.isLoopback ? "" : plan.network.proxy)
    set(CURLOPT_NOPROXY, plan.network.noProxy)
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    set(CURLOPT_MAXAGE_CONN, Self.idleAge)
  }

  private mutating func setBounds(_ plan: TransferPlan) {
    set(CURLOPT_CONNECTTIMEOUT_MS, plan.timeouts.connect.milliseconds)
    set(CURLOPT_TIMEOUT_MS, plan.timeouts.whole.milliseconds)
    // Ends a transfer before its body when that is announced too long; the collector counts what really comes.
    let announced = Int32(CURLOPT_MAXFILESIZE_LARGE.rawValue)
    note(announced, libcurl_set_size(curl, easy, announced, Int64(plan.limits.body)))
    // Timeouts by signal would need a process of one thread.
    set(CURLOPT_NOSIGNAL, 1)
    // A cancelled request does not wait for its name to be resolved; an older library does, and nothing is lost.
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
    note(fields, libcurl_set_list(curl, easy, fields, headers))
    switch method {
    case .get:
      set(CURLOPT_HTTPGET, 1)
    case .post:
      set(CURLOPT_POST, 1)
      let size = Int32(CURLOPT_POSTFIELDSIZE_LARGE.rawValue)
      note(size, libcurl_set_size(curl, easy, size, Int64(body.count)))
      let bytes = Int32(CURLOPT_POSTFIELDS.rawValue)
      // Not copied, so that libcurl keeps no code and no token after the transfer.
      note(bytes, libcurl_set_bytes(curl, easy, bytes, body.baseAddress))
    }
  }

  private mutating func setReceiver(_ receiver: UnsafeMutableRawPointer) {
    let header = Int32(CURLOPT_HEADERFUNCTION.rawValue)
    let takeHeader: libcurl_receive = { bytes, size, count, receiver in
      ResponseCollector.receive(bytes, size * count, receiver) { $0.takeHeader($1) }
    }
    note(
      header,
      libcurl_set_receiver(curl, easy, header, takeHeader, Int32(CURLOPT_HEADERDATA.rawValue), receiver)
    )
    let body = Int32(CURLOPT_WRITEFUNCTION.rawValue)
    let takeBody: libcurl_receive = { bytes, size, count, receiver in
      ResponseCollector.receive(bytes, size * count, receiver) { $0.takeBody($1) }
    }
    note(body, libcurl_set_receiver(curl, easy, body, takeBody, Int32(CURLOPT_WRITEDATA.rawValue), receiver))
  }

  private mutating func set(_ option: CURLoption, _ value: Int) {
    let option = Int32(option.rawValue)
    note(option, libcurl_set_long(curl, easy, option, value))
  }

  private mutating func set(_ option: CURLoption, _ value: String) {
    let option = Int32(option.rawValue)
    note(option, libcurl_set_text(curl, easy, option, value))
  }

  private mutating func note(_ option: Int32, _ code: CURLcode) {
    if code != CURLE_OK, refused == nil { refused = option }
  }
}
