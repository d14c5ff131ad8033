import MSAuth
import MSAuthTransport
import MSAuthUnix
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
  private let endsAfterResponse: Bool
  private let onMessage: @Sendable (MCPMessage) -> Void
  private let state = Mutex(State())

  /// Without an output, messages are read but not forwarded.
  init(
    _ output: MessageOutput?,
    endsAfterResponse: Bool = false,
    onMessage: @escaping @Sendable (MCPMessage) -> Void = { _ in }
  ) {
    (self.output, self.endsAfterResponse, self.onMessage) = (output, endsAfterResponse, onMessage)
  }

  var lastEventID: String? { state.withLock { $0.stream?.lastEventID } }
  var retry: Duration? { state.withLock { $0.stream?.retry } }
  /// The head of the first response with a body.
  var head: HTTPResponse? { state.withLock(\.head) }
  var lastResponse: MCPMessage? { state.withLock(\.lastResponse) }

  func hasResponse(to id: JSONValue) -> Bool { state.withLock { $0.responses.contains(id.messageID) } }

  /// Receives a piece; returns whether to continue.
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
    return !(endsAfterResponse && lastResponse != nil)
  }

  /// A new connection begins with a new line.
  func beginStream() {
    state.withLock { state in
      state.stream = state.stream.map { EventStream(maximumSize: MCPMessage.maximumSize, after: $0) }
    }
  }

  /// Forwards a response that isn't a stream.
  func finish() throws(AuthenticationError) {
    let (body, failure) = state.withLock { state in
      defer { state.body = [] }
      return (state.body, state.failure)
    }
    if let failure {
      throw AuthenticationError(.invalidResponse, failure, reason: .responseTooLarge, hint: "request less at a time")
    }
    guard !body.isEmpty else { return }
    guard let message = MCPMessage(body) else {
      throw AuthenticationError(
        .invalidResponse,
        "the server's response isn't a JSON-RPC message",
        reason: "response_invalid",
        hint: "check the server's URL"
      )
    }
    _ = forward(message)
  }

  private func forward(_ message: MCPMessage) -> Bool {
    onMessage(message)
    state.withLock { state in
      state.responses.formUnion(message.responseIDs.map(\.messageID))
      if !message.responseIDs.isEmpty { state.lastResponse = message }
    }
    guard let output else { return true }
    output.write(message)
    return !output.isClosed
  }
}

/// Standard output: one message per line, never interleaved.
final class MessageOutput: Sendable {
  private let descriptor: Int32
  private let turn = Mutex(())
  private let closed = Atomic(false)

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  var isClosed: Bool { closed.load(ordering: .relaxed) }

  /// Blocks while the client doesn't read, which slows the server's stream down.
  func write(_ message: MCPMessage) {
    turn.withLock { _ in
      guard !isClosed, writeAll(message.bytes + [UInt8(ascii: "\n")], to: descriptor) != nil else { return }
      closed.store(true, ordering: .relaxed)
    }
  }
}

/// Parses server-sent events (WHATWG HTML §9.2), which arrive in pieces.
struct EventStream {
  /// The last event that was complete; a new stream continues after it.
  private(set) var lastEventID: String?
  /// The server's `retry`: the delay before reconnecting.
  private(set) var retry: Duration?

  private let maximumSize: Int
  private var line: [UInt8] = []
  private var data: [UInt8]?
  private var type = ""
  private var id: String?
  private var endsWithCarriageReturn = false
  private var isAtStart = true

  init(maximumSize: Int, after earlier: EventStream? = nil) {
    self.maximumSize = maximumSize
    (lastEventID, retry) = (earlier?.lastEventID, earlier?.retry)
  }

  /// Returns the data of the messages that are complete; nil if an event is too large.
  mutating func append(_ bytes: UnsafeRawBufferPointer) -> [[UInt8]]? {
    var messages: [[UInt8]] = []
    for byte in bytes {
      // A line ends with LF, CR or both.
      if byte == UInt8(ascii: "\n"), endsWithCarriageReturn {
        endsWithCarriageReturn = false
        continue
      }
      endsWithCarriageReturn = byte == UInt8(ascii: "\r")
      if byte == UInt8(ascii: "\n") || endsWithCarriageReturn {
        if let message = takeLine() { messages.append(message) }
      } else {
        line.append(byte)
        guard line.count + (data?.count ?? 0) <= maximumSize else { return nil }
      }
    }
    return messages
  }

  /// Interprets a line; an empty one completes the event.
  private mutating func takeLine() -> [UInt8]? {
    defer { (line, isAtStart) = ([], false) }
    if isAtStart, line.starts(with: "\u{FEFF}".utf8) { line.removeFirst(3) }
    guard !line.isEmpty else {
      defer { (data, type) = (nil, "") }
      if let id { lastEventID = id.isEmpty ? nil : id }
      // A server primes a stream with an event that has only an ID.
      return type.isEmpty || type == "message" ? data.flatMap { $0.isEmpty ? nil : $0 } : nil
    }
    let end = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
    var value = line[end...].dropFirst()
    if value.first == 0x20 { value = value.dropFirst() }
    let text = { [value] in String(decoding: value, as: UTF8.self) }
    switch String(decoding: line[..<end], as: UTF8.self) {
    case "data":
      // In place: a copy per line takes quadratic time.
      if data == nil { data = [] } else { data?.append(UInt8(ascii: "\n")) }
      data?.append(contentsOf: value)
    case "event": type = text()
    case "id" where !value.contains(0): id = text()
    case "retry": retry = value.count <= 6 ? Int64(text()).map { .milliseconds(max($0, 0)) } ?? retry : retry
    default: break
    }
    return nil
  }
}
