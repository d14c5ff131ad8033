package import MSAuthCore

/// A complete, well-formed request within the limits; it prints only its method and path, since it may carry a code.
package struct LoopbackRequest: Sendable {
  package var method: String
  /// The path as sent, not decoded.
  package var path: String
  /// The query as sent, without the question mark; `nil` if there is no question mark.
  package var query: String?
  /// The header fields in order, names in lowercase.
  package var headers: [(name: String, value: String)] = []
  /// The one `Host` value, in lowercase.
  package var host: String
  package var body: [UInt8] = []
  /// Set when the peer has closed its connection instead of reading the response, as for a closed tab.
  package let disconnection = OneShot<Void>()

  /// The values of the header field with that lowercase name, one per occurrence.
  package func values(of name: String) -> [String] {
    headers.filter { $0.name == name }.map(\.value)
  }
}

extension LoopbackRequest: Redacted {
  package var description: String { "\(method) \(path)" }
}

/// Why a request is rejected before the flow sees it, without any effect.
package struct RequestRejection: Error, Sendable, Equatable {
  package let status: Int
  /// For a log; contains nothing of the request.
  package let reason: String
  /// The redirect's method, for the `Allow` field of a response with status 405 (RFC 9110 §15.5.6).
  package let allowedMethod: String?
  /// Whether the user may see the response; an icon that the browser fetches by itself needs no page.
  package let deservesPage: Bool

  init(_ status: Int, _ reason: String, allowedMethod: String? = nil, deservesPage: Bool = true) {
    self.status = status
    self.reason = reason
    self.allowedMethod = allowedMethod
    self.deservesPage = deservesPage
  }

  static func bad(_ reason: String) -> Self { Self(400, reason) }
}

// The request line and header fields (RFC 9112 §3 to §6).
extension LoopbackRequest {
  /// Parses a head that ends with its empty line.
  init(head: ArraySlice<UInt8>, limits: ListenerLimits) throws(RequestRejection) {
    let lines = head.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
    for line in lines {
      // RFC 9112 §2.2 allows a bare LF, but then two readers may see two requests.
      guard line.last == UInt8(ascii: "\r"), line.dropLast().allSatisfy(\.isHTTPFieldCharacter) else {
        throw .bad("it has a bare line break or a control character")
      }
    }
    let parts = lines[0].dropLast().split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard parts.count == 3, let method = Self.token(parts[0]), parts[2].starts(with: "HTTP/".utf8) else {
      throw .bad("its request line is malformed")
    }
    guard ["1.1", "1.0"].contains(where: { parts[2].dropFirst(5).elementsEqual($0.utf8) }) else {
      throw RequestRejection(505, "only HTTP/1.1 is supported")
    }
    let (authority, path, query) = try Self.target(parts[1])
    let fields = lines.dropFirst().dropLast()
    guard fields.count <= limits.maximumHeaderFields else {
      throw RequestRejection(431, "it has too many header fields")
    }
    let headers = try fields.map { field throws(RequestRejection) in try Self.field(field.dropLast()) }
    let hosts = headers.filter { $0.name == "host" }.map(\.value)
    // RFC 9112 §3.2: a server must respond with 400 if there isn't exactly one Host.
    guard hosts.count == 1, !hosts[0].isEmpty else { throw .bad("it doesn't have exactly one Host") }
    // RFC 9112 §3.2.2: an absolute target's host overrides the field.
    let host = authority ?? hosts[0].lowercased()
    self.init(method: method, path: path, query: query, headers: headers, host: host)
  }

  /// Parses the origin form, or the absolute form, which a server must accept too (RFC 9112 §3.2.2).
  private static func target(
    _ bytes: ArraySlice<UInt8>
  ) throws(RequestRejection) -> (authority: String?, path: String, query: String?) {
    var rest = String(decoding: bytes, as: UTF8.self)[...]
    var authority: String?
    if rest.prefix(7).lowercased() == "http://" {
      authority = rest.dropFirst(7).prefix { $0 != "/" && $0 != "?" }.lowercased()
      rest = rest.dropFirst(7).drop { $0 != "/" && $0 != "?" }
    }
    guard authority != nil || rest.hasPrefix("/"), bytes.allSatisfy({ $0.isASCIIVisible && $0 != UInt8(ascii: "#") })
    else { throw .bad("its target isn't a path") }
    let path = rest.prefix { $0 != "?" }
    let query = rest.dropFirst(path.count)
    // RFC 9110 §4.2.3: an empty path means the root.
    return (authority, path.isEmpty ? "/" : String(path), query.isEmpty ? nil : String(query.dropFirst()))
  }

  private static func field(_ line: ArraySlice<UInt8>) throws(RequestRejection) -> (name: String, value: String) {
    // RFC 9112 §5.1, §5.2: a folded line and white space before the colon must be rejected; neither is part of a token.
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), let name = token(line[..<colon]) else {
      throw .bad("a header line is malformed")
    }
    let value = line[(colon + 1)...].trimming(" \t")
    // RFC 9110 §5.5: bytes beyond ASCII are opaque; other programs' cookies for localhost may contain them.
    return (name.lowercased(), String(decoding: value, as: UTF8.self))
  }

  /// The number of bytes that follow the head (RFC 9112 §6).
  func bodyLength(limits: ListenerLimits) throws(RequestRejection) -> Int {
    guard values(of: "expect").isEmpty else { throw RequestRejection(417, "Expect isn't supported") }
    let lengths = values(of: "content-length")
    let isChunked = !values(of: "transfer-encoding").isEmpty
    // RFC 9112 §6.3: with both, two readers may see two requests.
    guard lengths.isEmpty || !isChunked else { throw .bad("it has Transfer-Encoding beside Content-Length") }
    guard let length = lengths.first else {
      guard !isChunked, method != "POST" else { throw RequestRejection(411, "its body requires Content-Length") }
      return 0
    }
    // RFC 9112 §6.3: one value, digits only; `Int` would accept a sign.
    guard lengths.count == 1, !length.isEmpty, length.utf8.allSatisfy(\.isASCIIDigit) else {
      throw .bad("its Content-Length is malformed")
    }
    guard let count = Int(length), count <= limits.maximumBodyBytes else {
      throw RequestRejection(413, "its body is too large")
    }
    return count
  }

  /// RFC 9110 §5.6.2.
  private static func token(_ bytes: ArraySlice<UInt8>) -> String? {
    let valid = bytes.allSatisfy(\.isHTTPTokenCharacter)
    return valid && !bytes.isEmpty ? String(decoding: bytes, as: UTF8.self) : nil
  }
}
