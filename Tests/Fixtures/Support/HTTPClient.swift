/// One HTTP request over a connection of its own; no redirect is followed, nothing is added that was not asked for.
package enum HTTPClient {
  /// A response as it came.
  package struct Response: Sendable {
    package let status: Int
    /// Names in lower case.
    package let headers: [(name: String, value: String)]
    package let body: String

    /// The first header field of that name, given in lower case.
    package func header(_ name: String) -> String? {
      headers.first { $0.name == name }?.value
    }

    /// Reads the head of a response; throws ``TestFailure`` when it is not HTTP.
    init(head: String, body: String) throws {
      let lines = head.split(separator: "\r\n")
      guard let status = lines.first, status.hasPrefix("HTTP/1."), let code = Int(status.dropFirst(9).prefix(3)) else {
        throw TestFailure("not an HTTP response: \(head.prefix(200))")
      }
      self.status = code
      self.headers = lines.dropFirst().map { line in
        let parts = line.split(separator: ":", maxSplits: 1)
        return (parts[0].lowercased(), parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : "")
      }
      self.body = body
    }
  }

  /// Sends a request to a URL of 127.0.0.1 or localhost.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - url: An `http` URL with a port.
  ///   - headers: Header fields besides `Host`, `Content-Length` and `Connection`.
  ///   - body: The body.
  /// - Returns: The response.
  /// - Throws: ``TestFailure`` when there is none.
  package static func send(
    _ method: String,
    _ url: String,
    headers: [String: String] = [:],
    body: String? = nil
  ) async throws -> Response {
    guard let parts = URLComponents(string: url), let host = parts.host, let port = parts.port.flatMap(UInt16.init)
    else { throw TestFailure("not a URL with host and port: \(url)") }
    let target =
      (parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath)
      + (parts.percentEncodedQuery.map { "?\($0)" } ?? "")
    var head = "\(method) \(target) HTTP/1.1\r\nHost: \(host):\(port)\r\nConnection: close\r\n"
    for (name, value) in headers { head += "\(name): \(value)\r\n" }
    if let body { head += "Content-Length: \(body.utf8.count)\r\n" }
    let request = head + "\r\n" + (body ?? "")
    return try await blocking {
      let connection = try TCPConnection(port: port)
      try connection.send(request.utf8)
      return try readResponse(from: connection)
    }
  }

  /// Sends a form.
  package static func post(_ url: String, form: [String: String]) async throws -> Response {
    try await send(
      "POST",
      url,
      headers: ["Content-Type": "application/x-www-form-urlencoded"],
      body: FormFields.encode(form)
    )
  }

  /// Reads one response: as far as its length says, or to the end.
  static func readResponse(from connection: TCPConnection) throws -> Response {
    var bytes: [UInt8] = []
    let separator = Array("\r\n\r\n".utf8)
    while true {
      if let end = bytes.firstRange(of: separator) {
        let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
        let response = try Response(head: head, body: "")
        if let length = response.header("content-length").flatMap({ Int($0) }), bytes.count - end.upperBound >= length {
          return try Response(
            head: head,
            body: String(decoding: bytes[end.upperBound...].prefix(length), as: UTF8.self)
          )
        }
      }
      let more = try connection.receive()
      if more.isEmpty { break }
      bytes += more
    }
    guard let end = bytes.firstRange(of: separator) else {
      throw TestFailure("the connection ended after \(bytes.count) bytes without an HTTP response")
    }
    return try Response(
      head: String(decoding: bytes[..<end.lowerBound], as: UTF8.self),
      body: String(decoding: bytes[end.upperBound...], as: UTF8.self)
    )
  }
}

/// `application/x-www-form-urlencoded`, independent of the encoder under test.
package enum FormFields {
  /// Encodes names and values.
  package static func encode(_ fields: [String: String]) -> String {
    fields.sorted { $0.key < $1.key }.map { "\(escape($0.key))=\(escape($0.value))" }.joined(separator: "&")
  }

  /// Names and values of a URL's query or of a body; the last of a name counts.
  package static func decode(_ text: some StringProtocol) -> [String: String] {
    var fields: [String: String] = [:]
    for field in text.split(separator: "&") {
      let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
        $0.replacingOccurrences(of: "+", with: " ").removingPercentEncoding ?? ""
      }
      fields[parts[0]] = parts.count > 1 ? parts[1] : ""
    }
    return fields
  }

  /// The query of a URL.
  package static func query(of url: String) -> [String: String] {
    decode(url.split(separator: "#")[0].split(separator: "?", maxSplits: 1).dropFirst().first ?? "")
  }

  private static func escape(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(.init(charactersIn: "-._~"))) ?? ""
  }
}
