import Glibc
public import MSAuth
import MSAuthTransport
import MSAuthUnix
import Synchronization

/// Connects a program's standard input and output to an MCP server over Streamable HTTP, with tokens.
///
/// It supports the revisions 2025-03-26 to 2026-07-28. Messages are forwarded unchanged, except for line breaks between
/// JSON's tokens.
public final class MCPBridge: Sendable {
  /// How long the server may take to accept a notification; notifications keep their order.
  private static let acknowledgmentTimeout: Duration = .seconds(30)
  private static let maximumToolPages = 32

  let server: MCPServer
  let credentials: MCPCredentials
  private let describe: @Sendable (AuthenticationError) -> String
  let output: MessageOutput
  let connection = Mutex(Connection())
  let exchanges = MCPExchanges()
  let handshake = Mutex<Task<Void, any Error>?>(nil)
  let listener = Mutex<Task<Void, Never>?>(nil)

  /// Creates a bridge between standard input and output and a server.
  ///
  /// - Parameters:
  ///   - server: The server.
  ///   - interaction: How to sign in when the server requires it; `nil` never opens a browser.
  ///   - describe: Returns what the client shows for an error, such as the command to sign in with.
  public init(
    _ server: MCPServer,
    interaction: Interaction?,
    describe: @escaping @Sendable (AuthenticationError) -> String = { $0.description }
  ) {
    self.server = server
    self.describe = describe
    credentials = MCPCredentials(server: server, interaction: interaction)
    output = MessageOutput(STDOUT_FILENO)
  }

  /// Forwards messages until standard input is closed or the task is canceled.
  ///
  /// - Throws: `AuthenticationError` if a line is larger than 16 MiB.
  public func run() async throws(AuthenticationError) {
    var failure: AuthenticationError?
    do { try await forwardInput() } catch { failure = error }
    await end()
    if let failure { throw failure }
  }

  /// Starts an exchange per line of standard input; the last line may lack a line feed.
  private func forwardInput() async throws(AuthenticationError) {
    var lines = LineBuffer(maximumLength: MCPMessage.maximumSize)
    var order: Task<Void, Never>?
    while !Task.isCancelled, !output.isClosed {
      // The loop awaits only input.
      guard let piece = await BackgroundThread.runAbandoning({ readStandardInput(maximum: 1 << 16) }) else { return }
      guard let complete = try? piece.isEmpty ? [lines.takeRest()] : lines.append(piece) else {
        let message = "a line of standard input is longer than \(MCPMessage.maximumSize >> 20) MiB"
        throw AuthenticationError(.invalidParameter, message, reason: "message_too_large")
      }
      for line in complete where !line.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) {
        if let message = MCPMessage(line) {
          start(message, after: &order)
        } else {
          reject(.null, code: -32700, "the line isn't a JSON-RPC message")
        }
      }
      if piece.isEmpty { return }
    }
  }

  /// Starts an exchange: requests run concurrently, after the handshake and the notifications before them.
  private func start(_ message: MCPMessage, after order: inout Task<Void, Never>?) {
    // A cancellation waits for no other message. Without a handshake (2026-07-28), closing the request's connection is
    // enough.
    let canceled = message.canceledID
    if let canceled, exchanges.cancel(canceled), connection.withLock({ $0.initialize == nil }) { return }
    let isNotification = message.method != nil && message.requestID == nil
    let isOrdered = canceled == nil && (message.isInitialize || isNotification)
    let previous = canceled == nil ? order : nil
    let isUrgent = canceled != nil || message.method == "ping"
    if message.isInitialize { connection.withLock { $0 = Connection(number: $0.number + 1, initialize: message) } }
    let task = exchanges.start(message.requestID, isUrgent: isUrgent) {
      await previous?.value
      await self.exchange(message, within: isNotification ? Self.acknowledgmentTimeout : nil)
      // The server's own messages arrive on a separate stream.
      if message.method == "notifications/initialized", !Task.isCancelled {
        self.connection.withLock { $0.initialized = message }
        self.startListening()
      }
    }
    if task == nil, let id = message.requestID { reject(id, code: -32000, "too many requests are waiting") }
    if isOrdered { order = task ?? order }
  }

  /// Doesn't wait for the client to read: it may still cancel requests, or end the bridge.
  private func reject(_ id: JSONValue, code: Int64, _ reason: String) {
    exchanges.start(isUrgent: true) { await self.output.writeInBackground(.error(id, code: code, reason)) }
  }

  /// Sends a message, and forwards the response or the reason why there is none.
  private func exchange(_ message: MCPMessage, within timeout: Duration? = nil) async {
    do {
      guard let timeout else { return try await send(message) }
      try await withTimeout(timeout) { try await self.send(message) }
    } catch {
      guard !Task.isCancelled else { return }
      for id in message.requestIDs {
        await output.writeInBackground(.error(id, code: -32000, describe(error)))
      }
      if message.requestIDs.isEmpty {
        server.context.configuration.log(.warning, "\(message.method ?? "a message") failed: \(user: error.message)")
      }
    }
  }

  /// A way to make the server accept a message, and how often it is tried.
  private enum Remedy {
    case renewal, stepUp, handshake, toolList

    var limit: Int {
      switch self {
      // The token of the store, of a refresh and of a sign-in.
      case .renewal: 3
      case .stepUp: 2
      case .handshake, .toolList: 1
      }
    }
  }

  private func send(_ message: MCPMessage) async throws(AuthenticationError) {
    var attempts: [Remedy: Int] = [:]
    while true {
      // 1. Send the message, and forward the response.
      let current = connection.withLock(\.self)
      let token = try await credentials.token()
      let receiver = receiver(for: message)
      let response = try await post(message, over: current, with: token, to: receiver)
      if response.status.isSuccessStatus {
        await credentials.accept(token)
        return try await finish(message, over: current, receiver)
      }

      // 2. Choose what may help.
      let challenge = ResourceChallenge(wwwAuthenticate: response.all("WWW-Authenticate"))
      let remedy = remedies(for: response, challenge, to: message, over: current)
        .first { attempts[$0, default: 0] < $0.limit }
      guard let remedy else { return try await forwardError(of: response, to: message) }
      attempts[remedy, default: 0] += 1

      // 3. Try it.
      switch remedy {
      case .renewal, .stepUp:
        guard try await credentials.replace(token, for: challenge) else {
          return try await forwardError(of: response, to: message)
        }
      case .handshake:
        do {
          try await replaceConnection(current.number)
        } catch {
          // The error may be about the token after all.
          guard response.status == 401, error.code == .interactionRequired else { throw error }
        }
      case .toolList: try await listTools(for: message, over: current, with: token)
      }
    }
  }

  /// The ways to make the server accept the message, in order.
  private func remedies(
    for response: HTTPResponse,
    _ challenge: ResourceChallenge,
    to message: MCPMessage,
    over connection: Connection
  ) -> [Remedy] {
    let status = response.status
    if [401, 403].contains(status), challenge.isInsufficientScope { return [.stepUp] }
    let isLost = connection.sessionID != nil && !message.isInitialize && Self.isLostSession(response)
    let lacksHeaders = status == 400 && message.method == "tools/call" && Self.isHeaderMismatch(response)
    return (isLost ? [.handshake] : []) + (status == 401 ? [.renewal] : []) + (lacksHeaders ? [.toolList] : [])
  }

  /// Whether the server has forgotten the session.
  ///
  /// Instead of 404, the SDKs of Python and Go return 400, with no error code, -32600, or one from -32000 to -32019 (the
  /// specification's own codes begin at -32020). Others, such as Rust's of 2025, return 401, and name the session.
  static func isLostSession(_ response: HTTPResponse) -> Bool {
    switch response.status {
    case 404: true
    case 400: error(in: response)?["code"]?.integer.map { $0 == -32600 || (-32019 ... -32000).contains($0) } ?? true
    case 401: String(decoding: response.body, as: UTF8.self).lowercased().contains("session")
    default: false
    }
  }

  private static func isHeaderMismatch(_ response: HTTPResponse) -> Bool {
    error(in: response)?["code"] == .number(JSONValue.Number(-32020))
  }

  private static func error(in response: HTTPResponse) -> JSONValue? { MCPMessage(response.body)?.members["error"] }

  /// Reads from the tool list which parameters the server expects in header fields too.
  private func listTools(
    for call: MCPMessage,
    over connection: Connection,
    with token: Secret?
  ) async throws(AuthenticationError) {
    var cursor: JSONValue?
    for _ in 0..<Self.maximumToolPages {
      let request = MCPMessage.toolList(for: call, from: cursor)
      let receiver = receiver(for: request, forwards: false)
      guard try await post(request, over: connection, with: token, to: receiver).status.isSuccessStatus else { return }
      try await receiver.finish()
      cursor = receiver.lastResponse?.members["result"]?["nextCursor"]
      if cursor == nil { return }
    }
  }

  /// Forwards the error in a response with the request's ID, or throws one for its status.
  private func forwardError(of response: HTTPResponse, to message: MCPMessage) async throws(AuthenticationError) {
    if let id = message.requestID, let error = Self.error(in: response), error.object != nil {
      return await output.writeInBackground(.error(id, error))
    }
    throw statusError(response)
  }

  func receiver(for message: MCPMessage, forwards: Bool = true) -> MessageReceiver {
    MessageReceiver(forwards ? output : nil, until: message.requestID) { [weak self] received in
      if message.method == "tools/list" { self?.connection.withLock { $0.headers.readAnnotations(in: received) } }
    }
  }
}
