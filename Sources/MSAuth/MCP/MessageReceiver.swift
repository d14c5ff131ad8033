import MSAuthCore
import MSAuthTransport
import MSAuthUnix
import Synchronization

/// Receives one response on the transfer's thread, and passes its messages on.
final class MessageReceiver: Sendable {
  private struct State: Sendable {
    var stream: EventStream?
    var body: [UInt8] = []
    var lastResponse: MCPMessage?
    var responses: Set<JSONValue> = []
    var failure: String?
  }

  private let output: MessageOutput?
  private let endsAfterResponse: Bool
  private let onMessage: @Sendable (MCPMessage) -> Void
  private let state = Mutex(State())

  /// Without an output, messages are read but not passed on.
  init(
    _ output: MessageOutput?,
    endsAfterResponse: Bool = false,
    onMessage: @escaping @Sendable (MCPMessage) -> Void = { _ in }
  ) {
    (self.output, self.endsAfterResponse, self.onMessage) = (output, endsAfterResponse, onMessage)
  }

  var lastEventID: String? { state.withLock { $0.stream?.lastEventID } }
  var retry: Duration? { state.withLock { $0.stream?.retry } }
  var isStream: Bool { state.withLock { $0.stream != nil } }
  var lastResponse: MCPMessage? { state.withLock(\.lastResponse) }

  func hasResponse(to id: JSONValue) -> Bool { state.withLock { $0.responses.contains(id) } }

  /// Receives a piece; returns whether to continue.
  func take(_ head: HTTPResponse, _ piece: UnsafeRawBufferPointer) -> Bool {
    let (messages, isUsable) = state.withLock { state -> ([[UInt8]], Bool) in
      guard head.mediaType == "text/event-stream" else {
        state.body.append(contentsOf: piece)
        return ([], state.body.count <= MCPMessage.maximumSize)
      }
      do throws(Refusal) {
        if state.stream == nil { state.stream = EventStream(maximumSize: MCPMessage.maximumSize) }
        return (try state.stream?.append(piece) ?? [], true)
      } catch {
        return ([], false)
      }
    }
    guard isUsable else {
      state.withLock { $0.failure = "the server's response is larger than \(MCPMessage.maximumSize >> 20) MiB" }
      return false
    }
    for bytes in messages { if let message = MCPMessage(bytes), !pass(message) { return false } }
    return !(endsAfterResponse && lastResponse != nil)
  }

  /// A new connection begins with a new line.
  func beginStream() {
    state.withLock { state in
      state.stream = state.stream.map { EventStream(maximumSize: MCPMessage.maximumSize, after: $0) }
    }
  }

  /// Passes on a response that isn't a stream.
  func finish() throws {
    let (body, failure) = state.withLock { state in
      defer { state.body = [] }
      return (state.body, state.failure)
    }
    if let failure { throw AuthenticationError(.invalidResponse, failure, reason: .responseTooLarge) }
    guard !body.isEmpty else { return }
    guard let message = MCPMessage(body) else {
      throw AuthenticationError(
        .invalidResponse,
        "the server's response is not a JSON-RPC message",
        reason: "response_invalid",
        hint: "check the server's URL"
      )
    }
    _ = pass(message)
  }

  private func pass(_ message: MCPMessage) -> Bool {
    onMessage(message)
    state.withLock { state in
      state.responses.formUnion(message.responseIDs)
      if !message.responseIDs.isEmpty { state.lastResponse = message }
    }
    guard let output else { return true }
    output.write(message)
    return !output.isClosed
  }
}

/// Standard output: one message per line, never two at once.
final class MessageOutput: Sendable {
  private let descriptor: Int32
  private let closed = Mutex(false)

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  var isClosed: Bool { closed.withLock(\.self) }

  /// Waits while the client doesn't read, which holds the server's stream back.
  func write(_ message: MCPMessage) {
    closed.withLock { closed in
      guard !closed else { return }
      closed = writeAll(message.bytes + [UInt8(ascii: "\n")], to: descriptor) != nil
    }
  }
}
