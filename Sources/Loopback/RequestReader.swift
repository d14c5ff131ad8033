/// Reads one HTTP/1.1 request from the bytes of a connection, strictly and within the limits (RFC 9112).
///
/// It takes the bytes as they arrive, and returns the request when that is complete. What follows it is ignored: every
/// response closes its connection.
struct RequestReader {
  /// The bytes that end a head.
  private static let headEnd = Array("\r\n\r\n".utf8)

  private let limits: Limits
  private var buffer: [UInt8] = []
  /// How far the search for the end of the head has come, so that no byte is examined twice.
  private var searched = 0
  private var lineEnd: Int?
  private var request: LoopbackRequest?
  private var headEnd = 0
  private var bodyLength = 0

  /// Bytes read so far.
  var count: Int { buffer.count }

  init(limits: Limits) { self.limits = limits }

  /// Takes more bytes.
  ///
  /// - Parameter bytes: What the connection received.
  /// - Returns: The request when it is complete, nil when more bytes are needed.
  /// - Throws: `RequestError` as soon as the bytes cannot become a request any more.
  mutating func read(_ bytes: some Sequence<UInt8>) throws(RequestError) -> LoopbackRequest? {
    buffer += bytes
    if request == nil { try readHead() }
    guard var request, buffer.count - headEnd >= bodyLength else { return nil }
    request.body = Array(buffer[headEnd..<headEnd + bodyLength])
    return request
  }

  private mutating func readHead() throws(RequestError) {
    if buffer.first == 0x16 { throw .tls }
    guard try search() else { return }
    headEnd = searched
    let request = try LoopbackRequest(head: buffer[..<(searched - Self.headEnd.count)], limits: limits)
    bodyLength = try request.bodyLength(limits: limits)
    self.request = request
  }

  /// Goes on to search for the end of the head, and checks each byte on the way.
  ///
  /// - Returns: Whether the end was found.
  private mutating func search() throws(RequestError) -> Bool {
    // Access to a local value costs less, and there may be a flood of long headers.
    let bytes = buffer
    var position = searched
    defer { searched = position }
    while position < bytes.count {
      let byte = bytes[position]
      let followsReturn = position > 0 && bytes[position - 1] == UInt8(ascii: "\r")
      if byte == UInt8(ascii: "\n") {
        // RFC 9112 §2.2: a line may be ended by LF alone, but then two readers see two requests; we take CRLF only.
        guard followsReturn else { throw .bad("a bare line feed") }
      } else if followsReturn {
        throw .bad("a bare carriage return")
      } else if byte < 0x20 && byte != UInt8(ascii: "\r") && byte != UInt8(ascii: "\t") || byte == 0x7F {
        throw .bad("a control character")
      }
      if byte == UInt8(ascii: "\r"), lineEnd == nil { lineEnd = position }
      position += 1
      if byte == UInt8(ascii: "\n"), bytes[..<position].hasSuffix(Self.headEnd) { return true }
      // At each byte, so that what is wrong does not depend on how the bytes arrive.
      guard lineEnd ?? position <= limits.maximumRequestLineBytes else {
        throw RequestError(status: 414, reason: "the request line is too long")
      }
      guard position < limits.maximumHeadBytes else {
        throw RequestError(status: 431, reason: "the header is too large")
      }
    }
    return false
  }
}

/// Why bytes are not a request, before its meaning is considered.
struct RequestError: Error, Equatable {
  /// The response's status; nil closes the connection without a response, for the peer does not speak HTTP.
  let status: Int?
  let reason: String

  static func bad(_ reason: String) -> Self { Self(status: 400, reason: reason) }

  /// A browser that prefers https tries it here too; a handshake begins with 0x16 (RFC 8446 §5.1).
  static let tls = Self(status: nil, reason: "TLS on an http port")
}

extension ArraySlice<UInt8> {
  fileprivate func hasSuffix(_ suffix: [UInt8]) -> Bool {
    last == suffix.last && count >= suffix.count && self.suffix(suffix.count).elementsEqual(suffix)
  }
}
