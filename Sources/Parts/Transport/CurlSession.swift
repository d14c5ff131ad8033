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
        throw transfer.failure(.transferFailed, "out of memory")
      }
      headers = longer
    }
    var options = CurlOptions(curl, easy, transfer)
    options.set(headers: headers, receiver: Unmanaged.passUnretained(collector).toOpaque())
    if let option = options.unsupported {
      let message = "this libcurl doesn't support the option \(option)"
      throw transfer.failure(.libcurlMissing, message, hint: "update libcurl")
    }
    guard let code = run(until: cancellation, unlessSent: transfer.request.mustComplete) else {
      throw AuthenticationError.canceled
    }
    if let overflow = collector.overflow { throw transfer.tooLarge(overflow) }
    let isWhole =
      code == CURLE_OK || collector.isEnded
      // A response that can't be requested again is used, however its connection ended.
      || transfer.request.mustComplete && (try? JSONValue.object(parsing: collector.body)) != nil
    // libcurl accepts a connection that ends before the header does.
    guard isWhole, collector.isHeaderComplete else {
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
