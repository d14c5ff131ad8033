import MSAuth
import MSAuthTransport
import Synchronization

/// Receives one response on the transfer's thread, and forwards its messages.
final class MessageReceiver: Sendable {
  private struct State: Sendable {
    var head: HTTPResponse?
    var stream: EventStream?
    var body: [UInt8] = []
    var lastResponse: MCPMessage?
    var responses: Set<String> = []
    var failure: String?
  }

  private let output: MessageOutput?
  private let awaitedID: JSONValue?
  private let onMessage: @Sendable (MCPMessage) -> Void
  private let state = Mutex(State())

  /// Without an output, messages are read but not forwarded.
  ///
  /// The transfer ends after the response to the awaited ID: a server may keep its stream open.
  init(
    _ output: MessageOutput?,
    until awaitedID: JSONValue? = nil,
    onMessage: @escaping @Sendable (MCPMessage) -> Void = { _ in }
  ) {
    (self.output, self.awaitedID, self.onMessage) = (output, awaitedID, onMessage)
  }

  var lastEventID: String? { state.withLock { $0.stream?.lastEventID } }
  var retry: Duration? { state.withLock { $0.stream?.retry } }
  /// The head of the first response with a body.
  var head: HTTPResponse? { state.withLock(\.head) }
  var lastResponse: MCPMessage? { state.withLock(\.lastResponse) }

  func hasResponse(to id: JSONValue) -> Bool { state.withLock { $0.responses.contains(id.messageID) } }

  /// Receives a piece of the body; returns whether to continue.
  func take(_ head: HTTPResponse, _ piece: UnsafeRawBufferPointer) -> Bool {
    let messages: [[UInt8]]? = state.withLock { state in
      state.head = state.head ?? head
      guard head.mediaType == "text/event-stream" else {
        state.body.append(contentsOf: piece)
        return state.body.count <= MCPMessage.maximumSize ? [] : nil
      }
      if state.stream == nil { state.stream = EventStream(maximumSize: MCPMessage.maximumSize) }
      return state.stream?.append(piece)
    }
    guard let messages else {
      state.withLock { $0.failure = "the server's response is larger than \(MCPMessage.maximumSize >> 20) MiB" }
      return false
    }
    for bytes in messages { if let message = MCPMessage(bytes), !forward(message) { return false } }
    return awaitedID.map(hasResponse) != true
  }

  /// Prepares for the next connection of the stream, which begins with a new line.
  func beginStream() {
    state.withLock { state in
      state.stream = state.stream.map { EventStream(maximumSize: MCPMessage.maximumSize, after: $0) }
    }
  }

  /// Forwards a response that isn't a stream.
  func finish() async throws(AuthenticationError) {
    let (body, failure) = state.withLock { state in
      defer { state.body = [] }
      return (state.body, state.failure)
    }
    if let failure {
      throw AuthenticationError(.invalidResponse, failure, reason: .responseTooLarge, hint: "request less at a time")
    }
    guard !body.isEmpty else { return }
    guard let message = MCPMessage(body) else {
      let message = "the server's response isn't a JSON-RPC message"
      throw AuthenticationError(.invalidResponse, message, reason: "response_invalid", hint: "check the server's URL")
    }
    record(message)
    await output?.writeInBackground(message)
  }

  private func forward(_ message: MCPMessage) -> Bool {
    record(message)
    guard let output else { return true }
    output.write(message)
    return !output.isClosed
  }

  private func record(_ message: MCPMessage) {
    onMessage(message)
    state.withLock { state in
      state.responses.formUnion(message.responseIDs.map(\.messageID))
      if !message.responseIDs.isEmpty { state.lastResponse = message }
    }
  }
}
