/// What a listener on this machine may be sent by anybody, before the browser comes back.
package struct RawHTTPClient: Sendable {
  /// The listener's port.
  package let port: UInt16
  private let usesIPv6: Bool

  /// Makes a probe.
  ///
  /// - Parameters:
  ///   - port: The listener's port.
  ///   - usesIPv6: Whether it connects to ::1 instead of 127.0.0.1.
  package init(port: UInt16, usesIPv6: Bool = false) {
    (self.port, self.usesIPv6) = (port, usesIPv6)
  }

  /// Sends bytes as they are and reads until the listener hangs up.
  ///
  /// - Parameter bytes: What to send.
  /// - Returns: What came; empty when the listener just closed or reset the connection.
  /// - Throws: ``TestFailure`` when nobody listens, or when the listener keeps the connection open for a minute.
  package func sendRaw(_ bytes: [UInt8]) async throws -> String {
    try await blocking {
      let connection = try TCPConnection(port: port, usesIPv6: usesIPv6, timeout: 60)
      // A listener may refuse before all is sent, which is its right.
      try? connection.send(bytes)
      connection.finishSending()
      var answer: [UInt8] = []
      let deadline = Deadline.after(60)
      while let more = try? connection.receive(), !more.isEmpty { answer += more }
      if deadline.isOver { throw TestFailure("the listener kept a connection open for a minute") }
      return String(decoding: answer, as: UTF8.self)
    }
  }

  /// Sends the head of a request, and a body.
  ///
  /// - Parameters:
  ///   - line: The request line.
  ///   - headers: Header fields; a `Host` must be among them if one is wanted.
  ///   - body: The body.
  /// - Returns: What came.
  /// - Throws: What ``sendRaw(_:)`` throws.
  package func send(_ line: String, _ headers: [String] = [], body: String = "") async throws -> String {
    let head = ([line] + headers).map { $0 + "\r\n" }.joined() + "\r\n"
    return try await sendRaw(Array((head + body).utf8))
  }

  /// Opens connections that say nothing, as browsers do that connect ahead of time.
  ///
  /// - Parameter count: How many.
  /// - Returns: The connections, open for as long as they are kept.
  /// - Throws: ``TestFailure`` when one is refused.
  package func idleConnections(_ count: Int) async throws -> [TCPConnection] {
    try await blocking { try (0..<count).map { _ in try TCPConnection(port: port) } }
  }

  /// Whether anybody listens there.
  package var isOpen: Bool { (try? TCPConnection(port: port)) != nil }

  /// The first bytes of a TLS 1.2 handshake, as a browser that prefers https sends them.
  package static let tlsHello: [UInt8] =
    [0x16, 0x03, 0x01, 0x00, 0xc8, 0x01, 0x00, 0x00, 0xc4, 0x03, 0x03] + [UInt8](repeating: 0x5a, count: 194)
}
