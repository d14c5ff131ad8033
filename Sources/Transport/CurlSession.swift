import CLibCurl
import Core
import Unix

/// One libcurl handle and its connections, used by one thread at a time.
///
/// It is kept between requests: the two to four of a sign-in go to one host, and each new connection would cost a
/// TLS handshake.
final class CurlSession: @unchecked Sendable {
  private let curl: UnsafePointer<libcurl>
  private let easy: UnsafeMutableRawPointer
  private let multi: UnsafeMutableRawPointer

  /// How often a transfer checks whether it is cancelled, in milliseconds: too short for a person to notice.
  private static let pollInterval: Int32 = 100

  init?(_ library: LibCurl) {
    curl = library.functions
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
  func perform(_ transfer: Transfer, until cancellation: Cancellation) throws(Failure) -> HTTPResponse {
    guard let memory = TransferMemory(transfer, curl: curl) else {
      throw transfer.failure(.libcurlMissing, "out of memory")
    }
    defer {
      // The handle lives on; the request's secrets must not, nor pointers to them.
      curl.pointee.easy_reset(easy)
      withExtendedLifetime(memory) {}
    }
    try configure(transfer, memory)
    guard let code = run(until: cancellation) else {
      throw Failure.canceled
    }
    return try response(to: transfer, code, memory.collector)
  }

  private func configure(_ transfer: Transfer, _ memory: TransferMemory) throws(Failure) {
    var settings = CurlSettings(curl: curl, easy: easy)
    settings.apply(
      transfer,
      headers: memory.headers,
      body: memory.body,
      receiver: Unmanaged.passUnretained(memory.collector).toOpaque()
    )
    if let option = settings.refusedOption {
      throw transfer.failure(.libcurlMissing, "this libcurl does not know or refuses its option \(option)")
    }
  }

  /// Moves the bytes.
  ///
  /// libcurl's simpler `curl_easy_perform` calls its progress callback only once a second.
  private func run(until cancellation: Cancellation) -> CURLcode? {
    guard curl.pointee.multi_add_handle(multi, easy) == CURLM_OK else { return CURLE_FAILED_INIT }
    defer { _ = curl.pointee.multi_remove_handle(multi, easy) }
    var running: Int32 = 1
    while true {
      if cancellation.isRaised || ShutdownBarrier.isClosed { return nil }
      guard curl.pointee.multi_perform(multi, &running) == CURLM_OK else { return CURLE_FAILED_INIT }
      if running == 0 { break }
      guard curl.pointee.multi_poll(multi, nil, 0, Self.pollInterval, nil) == CURLM_OK else { return CURLE_FAILED_INIT }
    }
    let outcome = libcurl_outcome(curl, multi)
    return outcome < 0 ? CURLE_FAILED_INIT : CURLcode(rawValue: UInt32(outcome))
  }

  private func response(
    to transfer: Transfer,
    _ code: CURLcode,
    _ collector: ResponseCollector
  ) throws(Failure) -> HTTPResponse {
    if let overflow = collector.overflow {
      throw transfer.failure(
        .responseTooLarge,
        "the response of \(transfer.destination.name) is too large: \(overflow)"
      )
    }
    guard code == CURLE_OK else { throw failure(code, transfer) }
    guard collector.isHeaderComplete else { throw failure(CURLE_PARTIAL_FILE, transfer) }
    let status = libcurl_get_long(curl, easy, Int32(CURLINFO_RESPONSE_CODE.rawValue))
    return HTTPResponse(status: status, headers: collector.headers, body: collector.body)
  }

  private func failure(_ code: CURLcode, _ transfer: Transfer) -> Failure {
    let failure = CurlFailure(
      code: code,
      systemError: Int32(truncatingIfNeeded: libcurl_get_long(curl, easy, Int32(CURLINFO_OS_ERRNO.rawValue))),
      proxyStatus: libcurl_get_long(curl, easy, Int32(CURLINFO_HTTP_CONNECTCODE.rawValue)),
      isConnected: libcurl_get_size(curl, easy, Int32(CURLINFO_CONNECT_TIME_T.rawValue)) != 0,
      verification: libcurl_get_long(curl, easy, Int32(CURLINFO_SSL_VERIFYRESULT.rawValue)),
      description: curl.pointee.easy_strerror(code).map { String(cString: $0) } ?? ""
    )
    return failure.error(transfer)
  }
}

/// A request that passed every check, with all that its transfer needs.
struct Transfer: Sendable {
  let request: HTTPRequest
  let destination: WebURL
  let headerLines: [String]
  let userAgent: String
  let timeouts: Timeouts
  let limits: ResponseLimits
  let network: NetworkSettings

  /// The proxy that the request goes through, for messages.
  var proxyName: String? { network.proxyName(for: destination) }

  func failure(_ reason: FailureReason, _ message: String, hint: Hint? = nil) -> Failure {
    Failure(reason, host: destination.name, message, hint: hint)
  }
}

/// What libcurl reads from and writes to during one transfer.
private final class TransferMemory {
  let collector: ResponseCollector
  let body: UnsafeMutableBufferPointer<UInt8>
  private(set) var headers: UnsafeMutablePointer<curl_slist>?
  private let curl: UnsafePointer<libcurl>
  private let allocation: UnsafeMutableBufferPointer<UInt8>

  init?(_ transfer: Transfer, curl: UnsafePointer<libcurl>) {
    self.curl = curl
    collector = ResponseCollector(limits: transfer.limits)
    let bytes = transfer.request.body.map { Array($0.revealed.utf8) } ?? []
    // One byte at least, so that the buffer has an address: libcurl reads none as "ask the read callback".
    allocation = .allocate(capacity: bytes.count + 1)
    _ = allocation.initialize(from: bytes + [0])
    body = UnsafeMutableBufferPointer(rebasing: allocation.dropLast())
    for line in transfer.headerLines {
      guard let longer = curl.pointee.slist_append(headers, line) else { return nil }
      headers = longer
    }
  }

  deinit {
    curl.pointee.slist_free_all(headers)
    allocation.deallocate()
  }
}
