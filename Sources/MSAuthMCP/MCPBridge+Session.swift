import MSAuth
import MSAuthTransport
import Synchronization

// The server's session (Streamable HTTP, "Session Management"; none since 2026-07-28).
extension MCPBridge {
  struct Session: Sendable {
    var id: String?
    var version: String?
    /// Incremented for each new session.
    var number = 0
    var initialize: MCPMessage?
    var initialized: MCPMessage?
    /// The header fields that the server's tools require.
    var headers = MCPHeaders()
  }

  @discardableResult
  func adoptSession(from receiver: MessageReceiver) -> Session {
    let version = receiver.lastResponse?.members["result"]?["protocolVersion"]?.string
    return session.withLock { session in
      session.id = receiver.head?.header("Mcp-Session-Id")
      session.version = version
      return session
    }
  }

  /// Replaces the session with this number, which the server has forgotten, by repeating the client's handshake.
  func replaceSession(_ number: Int) async throws(AuthenticationError) {
    let task = restart.withLock { task in
      if let task { return task }
      let new = Task {
        // The task clears itself: a waiter that resumes late would clear a newer one.
        defer { self.restart.withLock { $0 = nil } }
        try await self.repeatHandshake(of: number)
      }
      task = new
      return new
    }
    try await task.get()
  }

  private func repeatHandshake(of number: Int) async throws(AuthenticationError) {
    let current = session.withLock(\.self)
    guard current.number == number, let initialize = current.initialize else { return }
    let token = try await credentials.token()
    let receiver = receiver(for: initialize, forwards: false)
    let response = try await post(initialize, in: current, with: token, to: receiver)
    // The client has a response to its own `initialize`; only the request that needs the session fails.
    guard response.status.isSuccessStatus else { throw statusError(response) }
    try await finish(initialize, in: current, receiver)
    session.withLock { $0.number += 1 }
    guard let initialized = current.initialized else { return }
    _ = try await post(initialized, in: session.withLock(\.self), with: token, to: MessageReceiver(nil))
    startListening()
  }

  /// Listens for the server's own messages in the current session.
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
      let response = try? await get(in: session.withLock(\.self), after: receiver.lastEventID, to: receiver)
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
    restart.withLock(\.self)?.cancel()
    await credentials.end()
    listener.withLock(\.self)?.cancel()
    await endSession(session.withLock(\.self))
    await CancellationShield.waitUntilDown()
  }

  private func endSession(_ current: Session) async {
    guard current.id != nil else { return }
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
