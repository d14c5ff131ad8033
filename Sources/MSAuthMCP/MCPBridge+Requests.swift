import MSAuth
import MSAuthTransport

// The HTTP requests of an exchange, and the resumption of its stream.
extension MCPBridge {
  /// How many times a stream is resumed without a new event, and in total (an hour at one per second).
  private static let maximumFruitlessResumptions = 8
  private static let maximumResumptions = 3600
  static let defaultRetry: Duration = .seconds(1)
  private static let minimumRetry: Duration = .milliseconds(100)
  static let maximumRetry: Duration = .seconds(60)

  func post(
    _ message: MCPMessage,
    over connection: Connection,
    with token: Secret?,
    to receiver: MessageReceiver
  ) async throws(AuthenticationError) -> HTTPResponse {
    let sessionHeaders = message.isInitialize ? [] : headers(of: connection, version: message.protocolVersion)
    let request = server.messageRequest(
      String(decoding: message.bytes, as: UTF8.self),
      headers: sessionHeaders + connection.headers.fields(for: message)
    )
    do {
      return try await transfer(request, with: token, to: receiver)
    } catch {
      // A stream that broke off is resumed.
      guard error.reason == .unreachable, receiver.lastEventID != nil else { throw error }
      return HTTPResponse(status: 200)
    }
  }

  func headers(of connection: Connection, version: String? = nil) -> [(name: String, value: String)] {
    var headers: [(name: String, value: String)] = []
    if let version = version ?? connection.version { headers.append(("MCP-Protocol-Version", version)) }
    if version == nil, let id = connection.sessionID { headers.append(("Mcp-Session-Id", id)) }
    return headers
  }

  func transfer(
    _ request: HTTPRequest,
    with token: Secret?,
    to receiver: MessageReceiver
  ) async throws(AuthenticationError) -> HTTPResponse {
    var request = request
    request.authorization = token.map { ("Bearer", $0) }
    request.receiver = receiver.take
    request.mayPause = true
    return try await server.send(request)
  }

  /// Completes a successful exchange; resumes a stream that ended before the response.
  func finish(
    _ message: MCPMessage,
    over connection: Connection,
    _ receiver: MessageReceiver
  ) async throws(AuthenticationError) {
    guard !message.requestIDs.isEmpty else { return }
    try await receiver.finish()
    // A batch has no ID of its own.
    guard let id = message.requestID else { return }
    // The stream is resumed in the session that its head names.
    let current = message.isInitialize ? recordConnection(from: receiver) : connection
    try await resumeStream(of: receiver, over: current, untilResponseTo: id)
    if message.isInitialize { recordConnection(from: receiver) }
  }

  private func resumeStream(
    of receiver: MessageReceiver,
    over connection: Connection,
    untilResponseTo id: JSONValue
  ) async throws(AuthenticationError) {
    var (fruitless, total) = (0, 0)
    var failure: AuthenticationError?
    while !receiver.hasResponse(to: id) {
      guard let last = receiver.lastEventID, fruitless < Self.maximumFruitlessResumptions,
        total < Self.maximumResumptions
      else {
        let message = "the server ended the connection before its response"
        throw failure ?? AuthenticationError(.invalidResponse, message, reason: "response_missing", hint: .tryAgain)
      }
      // The server's own interval, unless it keeps closing the stream.
      let floor = total < Self.maximumFruitlessResumptions ? Self.minimumRetry : Self.defaultRetry
      try await min(max(receiver.retry ?? Self.defaultRetry, floor), Self.maximumRetry).sleep()
      (fruitless, total) = (fruitless + 1, total + 1)
      do throws(AuthenticationError) {
        failure = nil
        let response = try await get(over: connection, after: last, to: receiver)
        guard response.status.isSuccessStatus else { throw statusError(response) }
      } catch {
        // The connection broke, perhaps after further events.
        guard error.reason == .unreachable else { throw error }
        failure = error
      }
      if receiver.lastEventID != last { fruitless = 0 }
    }
  }

  func get(
    over connection: Connection,
    after lastEventID: String?,
    to receiver: MessageReceiver
  ) async throws(AuthenticationError) -> HTTPResponse {
    var headers = [("Accept", "text/event-stream")] + self.headers(of: connection)
    if let lastEventID { headers.append(("Last-Event-ID", lastEventID)) }
    receiver.beginStream()
    let request = HTTPRequest(.get, server.url, headers: headers)
    return try await transfer(request, with: try await credentials.token(), to: receiver)
  }

  func statusError(_ response: HTTPResponse) -> AuthenticationError {
    let status = response.status
    if status == 401 { return server.tokenRejected }
    let target = response.header("Location").map { ", a redirect to \($0.printable(limit: 200))" } ?? ""
    return AuthenticationError(
      status: status,
      .invalidResponse,
      "the server \(server.printableURL) returned HTTP status \(status)\(target)",
      retryAfter: response.retryAfter(now: server.context.now).map { .seconds($0) },
      hint: status == 403 ? "your account or its scopes may not be sufficient for this request" : .checkServer
    )
  }
}
