import CLibCurl
import Core

/// One libcurl handle and its connections, used by one thread at a time.
///
/// It is kept between requests: the two to four of a sign-in go to one host, and each new connection would cost a
/// TLS handshake.
final class CurlSession: @unchecked Sendable {
  private let curl: UnsafePointer<libcurl>
  private let easy: UnsafeMutableRawPointer
  private let multi: UnsafeMutableRawPointer

  /// How often a transfer looks whether it is cancelled, in milliseconds: too short for a person to notice.
  private static let heartbeat: Int32 = 100

  /// - Returns: nil when there is no memory for it.
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

  /// Performs one request and blocks until it ended.
  ///
  /// - Parameters:
  ///   - plan: The checked request.
  ///   - cancellation: Looked at ten times a second.
  /// - Returns: The response, or why there is none.
  func perform(_ plan: TransferPlan, until cancellation: Cancellation) -> Result<HTTPResponse, TransportError> {
    var list: UnsafeMutablePointer<curl_slist>?
    defer {
      // The handle lives on; the request's secrets must not, nor pointers to them.
      curl.pointee.easy_reset(easy)
      curl.pointee.slist_free_all(list)
    }
    for line in plan.headerLines {
      guard let longer = curl.pointee.slist_append(list, line) else {
        return .failure(plan.failure(.unavailable, "out of memory"))
      }
      list = longer
    }
    let collector = ResponseCollector(limits: plan.limits)
    // One byte at least, so that the buffer has an address: libcurl reads none as "ask the read callback".
    var body = (plan.request.body.map { Array($0.revealed.utf8) } ?? []) + [0]
    return body.withUnsafeMutableBufferPointer { bytes in
      withExtendedLifetime(collector) {
        var settings = CurlSettings(curl: curl, easy: easy)
        settings.apply(
          plan,
          headers: list,
          body: UnsafeMutableBufferPointer(rebasing: bytes.dropLast()),
          receiver: Unmanaged.passUnretained(collector).toOpaque()
        )
        if let option = settings.refused {
          return .failure(plan.failure(.unavailable, "this libcurl does not know or refuses its option \(option)"))
        }
        guard let code = transfer(until: cancellation) else {
          return .failure(plan.failure(.cancelled, "the request to \(plan.destination.name) was cancelled"))
        }
        if let overflow = collector.overflow {
          return .failure(plan.failure(.tooLarge, "the response of \(plan.destination.name) is too large: \(overflow)"))
        }
        guard code == CURLE_OK else { return .failure(failure(code, plan)) }
        guard collector.isHeaderComplete else { return .failure(failure(CURLE_PARTIAL_FILE, plan)) }
        let status = libcurl_get_long(curl, easy, Int32(CURLINFO_RESPONSE_CODE.rawValue))
        return .success(HTTPResponse(status: status, headers: collector.headers, body: collector.body))
      }
    }
  }

  /// Moves the bytes.
  ///
  /// libcurl's simpler `curl_easy_perform` looks at its progress callback once a second only.
  ///
  /// - Returns: libcurl's verdict, nil when the transfer was cancelled.
  private func transfer(until cancellation: Cancellation) -> CURLcode? {
    guard curl.pointee.multi_add_handle(multi, easy) == CURLM_OK else { return CURLE_FAILED_INIT }
    defer { _ = curl.pointee.multi_remove_handle(multi, easy) }
    var running: Int32 = 1
    while true {
      if cancellation.isRaised || ShutdownBarrier.isClosed { return nil }
      guard curl.pointee.multi_perform(multi, &running) == CURLM_OK else { return CURLE_FAILED_INIT }
      if running == 0 { break }
      guard curl.pointee.multi_poll(multi, nil, 0, Self.heartbeat, nil) == CURLM_OK else { return CURLE_FAILED_INIT }
    }
    let outcome = libcurl_outcome(curl, multi)
    return outcome < 0 ? CURLE_FAILED_INIT : CURLcode(rawValue: UInt32(outcome))
  }

  private func failure(_ code: CURLcode, _ plan: TransferPlan) -> TransportError {
    let failure = CurlFailure(
      code: code,
      systemError: Int32(truncatingIfNeeded: libcurl_get_long(curl, easy, Int32(CURLINFO_OS_ERRNO.rawValue))),
      proxyStatus: libcurl_get_long(curl, easy, Int32(CURLINFO_HTTP_CONNECTCODE.rawValue)),
      description: curl.pointee.easy_strerror(code).map { String(cString: $0) } ?? ""
    )
    return failure.error(plan)
  }
}
