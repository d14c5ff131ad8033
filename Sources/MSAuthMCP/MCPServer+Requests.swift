import MSAuth
import MSAuthTransport

extension MCPServer {
  /// Sends a message to the server; follows a redirect to another of its paths.
  func send(_ request: HTTPRequest) async throws(AuthenticationError) -> HTTPResponse {
    try await context.dependencies.sendWithinOrigin(request)
  }

  /// A first message, whose response shows whether the server requires a token.
  var probe: HTTPRequest {
    let message: JSONValue = [
      "jsonrpc": "2.0", "id": 0, "method": "initialize",
      "params": [
        "protocolVersion": "2025-11-25", "capabilities": [:],
        "clientInfo": ["name": "msauth", "version": .string(MSAuthVersion.current)],
      ],
    ]
    return messageRequest(message.serializedString())
  }

  /// The request with a message (Streamable HTTP, "Sending Messages").
  func messageRequest(_ message: String, headers: [(name: String, value: String)] = []) -> HTTPRequest {
    let types = [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")]
    return HTTPRequest(.post, url, headers: types + headers, body: Secret(message))
  }

  func checkAddress(_ url: String) throws(AuthenticationError) {
    guard let (what, isPrivate) = address.rejection(of: url) else { return }
    throw serverFailure(what, reason: isPrivate ? .privateAddress : .resourceMetadata)
  }

  func serverFailure(
    _ what: String,
    reason: AuthenticationError.Reason,
    hint: Hint = .checkServer
  ) -> AuthenticationError {
    AuthenticationError(.invalidResponse, "the server \(printableURL) \(what)", reason: reason, hint: hint)
  }
}

extension Hint {
  static let checkServer: Hint = "check the server's URL; if it is right, report this to the server's administrator"
}
