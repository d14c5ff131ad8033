import Core

/// One complete request, well formed and within the limits.
///
/// It may carry an authorization code, so it prints only its method and path.
package struct LoopbackRequest: Sendable {
  package var method: String
  /// The path as it was sent, without any decoding.
  package var path: String
  /// The query as it was sent, without the question mark; nil when there is no question mark.
  package var query: String?
  /// The header fields in their order, names in lower case.
  package var headers: [(name: String, value: String)]
  /// The one `Host` value, in lower case.
  package var host: String
  package var body: [UInt8]

  package init(
    method: String,
    path: String,
    query: String? = nil,
    headers: [(name: String, value: String)] = [],
    host: String,
    body: [UInt8] = []
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
    self.host = host
    self.body = body
  }

  /// The values of the header field of that lower-case name, one per occurrence.
  package func values(of name: String) -> [String] {
    headers.filter { $0.name == name }.map(\.value)
  }
}

extension LoopbackRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "\(method) \(path)" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

// The request line and header fields (RFC 9112 §3 to §6).
extension LoopbackRequest {
  /// Parses the lines of a head, without the empty one that ends it; every line break is CRLF.
  init(head: ArraySlice<UInt8>, limits: Limits) throws(RequestError) {
    let lines = head.split(separator: UInt8(ascii: "\n")).map { $0.dropLast() }
    guard let first = lines.first else { throw .bad("no request line") }
    let (method, target) = try Self.requestLine(first)
    guard lines.count - 1 <= limits.maximumHeaderFields else {
      throw RequestError(status: 431, reason: "too many header fields")
    }
    var headers: [(name: String, value: String)] = []
    for line in lines.dropFirst() { headers.append(try Self.field(line)) }
    let field = try Self.host(headers)
    self.init(
      method: method,
      path: target.path,
      query: target.query,
      headers: headers,
      // RFC 9112 §3.2.2: an absolute target's own host counts, and the field does not.
      host: target.authority ?? field
    )
  }

  private static func requestLine(
    _ line: ArraySlice<UInt8>
  ) throws(RequestError) -> (method: String, target: (authority: String?, path: String, query: String?)) {
    let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard parts.count == 3, let method = token(parts[0]) else { throw .bad("a malformed request line") }
    let version = String(decoding: parts[2], as: UTF8.self)
    guard version == "HTTP/1.1" || version == "HTTP/1.0" else {
      guard version.hasPrefix("HTTP/") else { throw .bad("a malformed request line") }
      throw RequestError(status: 505, reason: "HTTP/1.1 is spoken here")
    }
    return (method, try target(parts[1]))
  }

  /// RFC 9112 §3.2: the origin form, or the absolute form, which a server must accept too (§3.2.2).
  ///
  /// The authority form is for CONNECT, the asterisk form for OPTIONS.
  private static func target(
    _ bytes: ArraySlice<UInt8>
  ) throws(RequestError) -> (authority: String?, path: String, query: String?) {
    guard bytes.allSatisfy({ (0x21...0x7E).contains($0) }), !bytes.contains(UInt8(ascii: "#")) else {
      throw .bad("a target that is not a path")
    }
    let text = String(decoding: bytes, as: UTF8.self)
    var rest = text[...]
    var authority: String?
    if text.prefix(7).lowercased() == "http://" {
      let named = text.dropFirst(7).prefix { $0 != "/" && $0 != "?" }
      authority = named.lowercased()
      rest = text[named.endIndex...]
    } else if !text.hasPrefix("/") {
      throw .bad("a target that is not a path")
    }
    let path = rest.prefix { $0 != "?" }
    // RFC 9110 §4.2.3: an empty path means the root.
    return (
      authority, path.isEmpty ? "/" : String(path),
      rest[path.endIndex...].isEmpty ? nil : String(rest[path.endIndex...].dropFirst())
    )
  }

  private static func field(_ line: ArraySlice<UInt8>) throws(RequestError) -> (name: String, value: String) {
    // RFC 9112 §5.2: a line that begins with white space continues the one before, which no client may send.
    guard line.first != UInt8(ascii: " "), line.first != UInt8(ascii: "\t") else { throw .bad("a folded header line") }
    // RFC 9112 §5.1: white space between name and colon MUST be refused; it is not in a token.
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), let name = token(line[..<colon]) else {
      throw .bad("a malformed header line")
    }
    let blank: Set<UInt8> = [UInt8(ascii: " "), UInt8(ascii: "\t")]
    let value = line[(colon + 1)...].drop { blank.contains($0) }
    let end = value.lastIndex { !blank.contains($0) }.map { $0 + 1 } ?? value.startIndex
    // RFC 9110 §5.5: bytes beyond ASCII are opaque; other programs' cookies for localhost may have them.
    return (name.lowercased(), String(decoding: value[..<end], as: UTF8.self))
  }

  private static func host(_ headers: [(name: String, value: String)]) throws(RequestError) -> String {
    let hosts = headers.filter { $0.name == "host" }
    // RFC 9112 §3.2: a server MUST answer 400 when there is no Host, or more than one.
    guard hosts.count == 1, let host = hosts.first?.value, !host.isEmpty else { throw .bad("not exactly one Host") }
    return host.lowercased()
  }

  /// How many bytes of body follow the head (RFC 9112 §6).
  func bodyLength(limits: Limits) throws(RequestError) -> Int {
    guard values(of: "expect").isEmpty else {
      throw RequestError(status: 417, reason: "send the body at once")
    }
    let lengths = values(of: "content-length")
    guard values(of: "transfer-encoding").isEmpty else {
      // RFC 9112 §6.3: with both, two readers would see two requests.
      guard lengths.isEmpty else { throw .bad("Transfer-Encoding beside Content-Length") }
      throw RequestError(status: 411, reason: "a body needs its length beforehand")
    }
    guard let length = lengths.first else {
      guard method != "POST" else { throw RequestError(status: 411, reason: "a body needs its length beforehand") }
      return 0
    }
    // RFC 9112 §6.3: digits alone, and one value; `Int` would take a sign.
    guard lengths.count == 1, !length.isEmpty, length.utf8.allSatisfy(\.isASCIIDigit) else {
      throw .bad("a malformed Content-Length")
    }
    guard let count = Int(length), count <= limits.maximumBodyBytes else {
      throw RequestError(status: 413, reason: "the body is too large")
    }
    return count
  }

  /// RFC 9110 §5.6.2.
  private static func token(_ bytes: ArraySlice<UInt8>) -> String? {
    let valid = bytes.allSatisfy(\.isHTTPTokenCharacter)
    return valid && !bytes.isEmpty ? String(decoding: bytes, as: UTF8.self) : nil
  }
}

/// Reads one HTTP/1.1 request from the bytes of a connection, strictly and within the limits (RFC 9112).
///
/// It takes the bytes as they arrive, and returns the request when that is complete. What follows it is ignored: every
/// response closes its connection.
struct RequestReader {
  private let limits: Limits
  private var buffer: [UInt8] = []
  /// How far the search for the end of the head has come, so that no byte is examined twice.
  private var searched = 0
  private var lineStart = 0
  private var request: LoopbackRequest?
  private var bodyLength = 0

  /// Bytes read so far.
  var count: Int { buffer.count }

  init(limits: Limits) { self.limits = limits }

  /// Takes more bytes; returns the request when it is complete, and throws as soon as it can't become one.
  mutating func read(_ bytes: some Sequence<UInt8>) throws(RequestError) -> LoopbackRequest? {
    buffer += bytes
    if buffer.first == 0x16 { throw .tls }
    if request == nil, try findHeadEnd() {
      let head = try LoopbackRequest(head: buffer[..<lineStart], limits: limits)
      bodyLength = try head.bodyLength(limits: limits)
      request = head
    }
    let body = buffer[searched...]
    guard var request, body.count >= bodyLength else { return nil }
    request.body = Array(body.prefix(bodyLength))
    return request
  }

  /// Goes on to search for the empty line, and checks each byte on the way.
  private mutating func findHeadEnd() throws(RequestError) -> Bool {
    // Access to a local value costs less, and there may be a flood of long headers.
    let bytes = buffer
    while searched < bytes.count {
      let byte = bytes[searched]
      let isLineBreak = byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n")
      let followsReturn = searched > 0 && bytes[searched - 1] == UInt8(ascii: "\r")
      if byte == UInt8(ascii: "\n") {
        // RFC 9112 §2.2: a line may be ended by LF alone, but then two readers see two requests; we take CRLF only.
        guard followsReturn else { throw .bad("a bare line feed") }
      } else if followsReturn {
        throw .bad("a bare carriage return")
      } else if byte < 0x20 && !isLineBreak && byte != UInt8(ascii: "\t") || byte == 0x7F {
        throw .bad("a control character")
      }
      searched += 1
      // At each byte, so that what is wrong does not depend on how the bytes arrive.
      guard searched <= limits.maximumRequestLineBytes || lineStart > 0 || isLineBreak else {
        throw RequestError(status: 414, reason: "the request line is too long")
      }
      guard searched <= limits.maximumHeadBytes else {
        throw RequestError(status: 431, reason: "the header is too large")
      }
      if byte == UInt8(ascii: "\n") {
        if searched - lineStart == 2 { return true }
        lineStart = searched
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
