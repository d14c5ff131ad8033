import ArgumentParser
import FoundationEssentials
import Glibc
import MSAuth
import MSAuthUnix

/// The user agent of a sign-in that runs for `msauth login --via`: stdin and stdout lead to the side with the browser.
final class RelayedUserAgent: UserAgent {
  private let arguments = OneShot<[String]>()
  private let listening = OneShot<Result<String, AuthenticationError>>()
  private let redirect = OneShot<Result<[RedirectField], AuthenticationError>>()
  private let confirmation = OneShot<Bool?>()
  private let timeout = OneShot<Duration>()

  /// Leaves time for the browser's side to report its timeout first.
  private static let grace: Duration = .seconds(30)

  func listen(_ request: RedirectRequest) async throws(AuthenticationError) -> String {
    timeout.resume(request.timeout)
    return try await response(to: .listen(request: request), listening, within: Self.grace)
  }

  func authorize(at address: URL) async throws(AuthenticationError) -> [RedirectField] {
    try await response(to: .authorize(address: address), redirect, within: (timeout.current ?? .zero) + Self.grace)
  }

  func confirm(_ statement: String) async -> Bool? {
    await Self.send(RelayMessage.confirm(statement: statement).line)
    return (try? await confirmation.value()) ?? nil
  }

  func show(_ outcome: SignInOutcome) async {
    await Self.send(RelayMessage.show(outcome: outcome).line)
  }

  private func response<Value: Sendable>(
    to message: RelayMessage,
    _ response: OneShot<Result<Value, AuthenticationError>>,
    within limit: Duration
  ) async throws(AuthenticationError) -> Value {
    await Self.send(message.line)
    let result: Result<Value, AuthenticationError>
    do {
      result = try await withTimeout(limit) { try await response.value() }
    } catch {
      guard error == .timeout else { throw error }
      throw AuthenticationError(.timedOut, "the computer with the browser stopped responding", reason: "relay_failed")
    }
    return try result.get()
  }

  /// Writes a line, and ignores errors: if the other side disconnects, the input ends too.
  private static func send(_ line: [UInt8]) async {
    _ = await BackgroundThread.run { _ in writeAll(line + [UInt8(ascii: "\n")], to: STDOUT_FILENO) }
  }

  /// Signs in with the arguments that the other side sends; returns the result, which the caller writes as the last line.
  static func run() async throws -> Output {
    do {
      await send(RelayGreeting.line)
      let agent = RelayedUserAgent()
      return try await withThrowingTaskGroup(of: Output.self) { group in
        group.addTask { try await agent.receive() }
        group.addTask { try await agent.signIn() }
        defer { group.cancelAll() }
        guard let output = try await group.next() else { throw CancellationError() }
        return output
      }
    } catch {
      throw CommandFailure(AuthenticationError(wrapping: error))
    }
  }

  private func signIn() async throws -> Output {
    let arguments = try await arguments.value()
    let isMCP = arguments.starts(with: MCPLogin.commandWords)
    let type: any RelayedCommand.Type = isMCP ? MCPLogin.self : Login.self
    let command: any RelayedCommand
    do {
      command = try type.parse(isMCP ? Array(arguments.dropFirst(MCPLogin.commandWords.count)) : arguments)
    } catch {
      // The other computer's msauth accepted them, so it has another version.
      throw AuthenticationError(parserError: error)
    }
    Console.messages = command.options.messages
    return try await command.signIn(through: self).output
  }

  /// Receives the other side's messages, and throws when there are no more.
  private func receive() async throws -> Never {
    var buffer = LineBuffer(maximumLength: RelayMessage.maximumLineBytes)
    do {
      while let bytes = await BackgroundThread.runAbandoning({ readStandardInput(maximum: 64 << 10) }), !bytes.isEmpty {
        for line in try buffer.append(bytes) { try receive(RelayMessage(line)) }
      }
    } catch {
      let message = "the computer with the browser sent an invalid message: \(error.reason)"
      throw AuthenticationError(.invalidParameter, message, reason: "relay_failed", hint: RelayGreeting.sameVersion)
    }
    try Task.checkCancellation()
    // Ctrl-C on the other computer, or a broken connection.
    let message = "the connection to the computer with the browser was closed"
    throw AuthenticationError(.canceled, message, reason: "relay_failed")
  }

  private func receive(_ message: RelayMessage) throws(Rejection) {
    switch message {
    case .begin(let received):
      guard arguments.resume(received) else { throw Rejection("it is unexpected") }
    case .confirmed(let answer): confirmation.resume(answer)
    case .listening(let uri): listening.resume(.success(uri))
    case .redirect(let fields): redirect.resume(.success(fields))
    case .failed(let failure):
      if !listening.resume(.failure(failure.error)) { redirect.resume(.failure(failure.error)) }
    case .confirm, .listen, .authorize, .show: throw Rejection("it is unexpected")
    }
  }
}
