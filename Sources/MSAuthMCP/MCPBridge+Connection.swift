import MSAuth
import MSAuthTransport
import Synchronization

extension MCPBridge {
  /// The negotiated version and the server's session (Streamable HTTP, "Session Management").
  struct Connection: Sendable {
    /// `nil` since 2026-07-28.
    var sessionID: String?
    var version: String?
    /// Incremented for each new connection.
    var number = 0
    var initialize: MCPMessage?
    var initialized: MCPMessage?
    /// The header fields that the server's tools require.
    var headers = MCPHeaders()
  }

  @discardableResult
  func recordConnection(from receiver: MessageReceiver) -> Connection {
    let version = receiver.lastResponse?.members["result"]?["protocolVersion"]?.string
    return connection.withLock { connection in
      connection.sessionID = receiver.head?.header("Mcp-Session-Id")
      connection.version = version
      return connection
    }
  }

  /// Replaces the connection with this number, whose session is lost, by repeating the client's handshake.
  func replaceConnection(_ number: Int) async throws(AuthenticationError) {
    let task = handshake.withLock { task in
      if let task { return task }
      let new = Task {
        // The task clears itself: a waiter that resumes late would clear a newer one.
        defer { self.handshake.withLock { $0 = nil } }
        try await self.repeatHandshake(of: number)
      }
      task = new
      return new
    }
    try await task.get()
  }

  private func repeatHandshake(of number: Int) async throws(AuthenticationError) {
    let current = connection.withLock(\.self)
    guard current.number == number, let initialize = current.initialize else { return }
    let token = try await credentials.token()
    let receiver = receiver(for: initialize, forwards: false)
    let response = try await post(initialize, over: current, with: token, to: receiver)
    // The client has a response to its own `initialize`; only the request that needs the session fails.
    guard response.status.isSuccessStatus else { throw statusError(response) }
    try await finish(initialize, over: current, receiver)
    connection.withLock { $0.number += 1 }
    guard let initialized = current.initialized else { return }
    _ = try await post(initialized, over: connection.withLock(\.self), with: token, to: MessageReceiver(nil))
    startListening()
  }

  /// Listens for the server's own messages over the current connection.
  func startListening() {
    listener.withLock { task in
      task?.cancel()
      task = Task { await self.listen() }
    }
  }

  /// Forwards the messages that the server sends unprompted, as long as it offers a stream for them.
  private func listen() async {
    let receiver = MessageReceiver(output)
    var wait = Self.defaultRetry
    while !Task.isCancelled, !output.isClosed {
      let start = ContinuousClock.now
      let response = try? await get(over: connection.withLock(\.self), after: receiver.lastEventID, to: receiver)
      if let status = response?.status, [404, 405, 410].contains(status) { return }
      if let response, response.status.isSuccessStatus, response.mediaType != "text/event-stream" { return }
      // Back off until a stream stays open.
      wait = start.duration(to: .now) > wait ? Self.defaultRetry : min(wait * 2, Self.maximumRetry)
      guard (try? await Task.sleep(for: max(receiver.retry ?? .zero, wait))) != nil else { return }
    }
  }

  /// Lets requests finish, and ends the server's session, within a second unless a token is being refreshed.
  func end() async {
    await exchanges.end(within: .milliseconds(500))
    handshake.withLock(\.self)?.cancel()
    await credentials.end()
    listener.withLock(\.self)?.cancel()
    await endSession(connection.withLock(\.self))
    await CancellationShield.waitUntilDown()
  }

  private func endSession(_ current: Connection) async {
    guard current.sessionID != nil else { return }
    // Detached, so that it also runs if this task was canceled; the process waits for the shield.
    let ending = Task.detached { [self] in
      let limit: Duration = .milliseconds(300)
      try? await withCancellationShield(grace: limit) {
        try await withTimeout(limit) {
          let request = HTTPRequest(.delete, self.server.url, headers: self.headers(of: current))
          let token = try await self.credentials.token()
          _ = try await self.transfer(request, with: token, to: MessageReceiver(nil))
        }
      }
    }
    await ending.value
  }
}
