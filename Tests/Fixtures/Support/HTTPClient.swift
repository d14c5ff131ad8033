/// Sends one HTTP request per connection, without following redirects or adding headers.
package enum HTTPClient {
  package struct Response: Sendable {
    package let status: Int
    /// Names in lowercase.
    package let headers: [(name: String, value: String)]
    package let body: String

    /// The first field with that lowercase name.
    package func header(_ name: String) -> String? {
      headers.first { $0.name == name }?.value
    }

    /// Parses a response's head.
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
      guard let message = try connection.receiveMessage(endsWithConnection: true) else {
        throw TestFailure("the connection ended without an HTTP response")
      }
      return try Response(head: message.head, body: message.body)
    }
  }

  package static func post(_ url: String, form: [String: String]) async throws -> Response {
    let type = ["Content-Type": "application/x-www-form-urlencoded"]
    return try await send("POST", url, headers: type, body: FormFields.encode(form))
  }
}

/// `application/x-www-form-urlencoded`, independent of the implementation under test.
package enum FormFields {
  package static func encode(_ fields: [String: String]) -> String {
    fields.sorted { $0.key < $1.key }.map { "\(escape($0.key))=\(escape($0.value))" }.joined(separator: "&")
  }

  /// Decodes a query or a body; the last field with a name wins.
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

  package static func query(of url: String) -> [String: String] {
    decode(url.prefix { $0 != "#" }.split(separator: "?", maxSplits: 1).dropFirst().first ?? "")
  }

  private static func escape(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(.init(charactersIn: "-._~"))) ?? ""
  }
}

/// A browser's redirects from an address to a page.
package struct RedirectChain: Sendable {
  /// In order; the last one is the page.
  package let responses: [HTTPClient.Response]
  /// The page's address.
  package let address: String

  package var page: HTTPClient.Response {
    get throws {
      guard let last = responses.last else { throw TestFailure("no response at \(address)") }
      return last
    }
  }

  /// Follows at most ten redirects.
  package static func from(_ url: String) async throws -> RedirectChain {
    var url = url
    var responses: [HTTPClient.Response] = []
    while responses.count < 10 {
      let response = try await HTTPClient.send("GET", url)
      responses.append(response)
      guard (300..<400).contains(response.status) else { return RedirectChain(responses: responses, address: url) }
      url = try resolve(response.header("location"), at: url)
    }
    throw TestFailure("more than ten redirects, the last to \(url)")
  }

  /// Resolves a `Location` header.
  package static func resolve(_ location: String?, at url: String) throws -> String {
    guard let location, let next = URL(string: location, relativeTo: URL(string: url)) else {
      throw TestFailure("\(url) redirects to \(location ?? "nowhere")")
    }
    return next.absoluteString
  }
}

/// Sends arbitrary bytes to a local listener.
package struct RawHTTPClient: Sendable {
  package let port: UInt16

  package init(port: UInt16) { self.port = port }

  /// Sends bytes unchanged, and reads until the listener disconnects.
  package func sendRaw(_ bytes: [UInt8]) async throws -> String {
    try await blocking {
      let connection = try TCPConnection(port: port, timeout: 60)
      // The listener may reject the request before all is sent.
      try? connection.send(bytes)
      connection.finishSending()
      var response: [UInt8] = []
      let deadline = Deadline.after(60)
      while let more = try? connection.receive(), !more.isEmpty { response += more }
      if deadline.isOver { throw TestFailure("the listener kept a connection open for a minute") }
      return String(decoding: response, as: UTF8.self)
    }
  }

  package func send(_ line: String, _ headers: [String] = [], body: String = "") async throws -> String {
    let head = ([line] + headers).map { $0 + "\r\n" }.joined() + "\r\n"
    return try await sendRaw(Array((head + body).utf8))
  }

  /// Opens silent connections, like preconnecting browsers.
  package func idleConnections(_ count: Int) async throws -> [TCPConnection] {
    try await blocking { try (0..<count).map { _ in try TCPConnection(port: port) } }
  }

  package var isOpen: Bool { (try? TCPConnection(port: port)) != nil }
}
