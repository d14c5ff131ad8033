/// Reads one HTTP/1.1 request strictly (RFC 9112), as its bytes arrive; every response closes the connection, so whatever
/// follows is ignored.
struct RequestReader {
  private let limits: ListenerLimits
  private var buffer: [UInt8] = []
  /// Where the first incomplete line begins; once the head is complete, where the body begins.
  private var lineStart = 0
  private var request: LoopbackRequest?
  private var bodyLength = 0

  var count: Int { buffer.count }

  init(limits: ListenerLimits) { self.limits = limits }

  /// Takes more bytes; returns the request when it is complete.
  mutating func read(_ bytes: some Collection<UInt8>) throws(RequestRejection) -> LoopbackRequest? {
    buffer += bytes
    if request == nil {
      // Only a line feed can end the head, so a header that trickles in is searched once.
      let isWhole = bytes.contains(UInt8(ascii: "\n")) && findBody()
      guard (isWhole ? lineStart : buffer.count) <= limits.maximumHeadBytes else {
        throw RequestRejection(431, "its header is too large")
      }
      guard isWhole else { return nil }
      let head = try LoopbackRequest(head: buffer[..<lineStart], limits: limits)
      bodyLength = try head.bodyLength(limits: limits)
      request = head
    }
    let body = buffer[lineStart...]
    guard var request, body.count >= bodyLength else { return nil }
    request.body = Array(body.prefix(bodyLength))
    return request
  }

  /// Skips whole lines; returns whether the last of them is the empty one that ends the head.
  private mutating func findBody() -> Bool {
    while let lineFeed = buffer[lineStart...].firstIndex(of: UInt8(ascii: "\n")) {
      let line = buffer[lineStart..<lineFeed]
      lineStart = lineFeed + 1
      if line.isEmpty || line.elementsEqual([UInt8(ascii: "\r")]) { return true }
    }
    return false
  }
}
