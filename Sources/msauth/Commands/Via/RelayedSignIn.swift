import ArgumentParser
import MSAuth
import MSAuthUnix

/// The remote end of `msauth login --via`, which signs in for the local end.
struct RelayedSignIn: Sendable {
  private let agent = RelayedUserAgent()
  private let arguments = OneShot<[String]>()

  /// Signs in with the arguments that the local end sends; returns the result, which the caller writes as the last line.
  func run() async throws -> JSONResult {
    do {
      await RelayedUserAgent.send(RelayGreeting.line)
      return try await withThrowingTaskGroup(of: JSONResult.self) { group in
        group.addTask { try await receive() }
        group.addTask { try await signIn() }
        defer { group.cancelAll() }
        guard let output = try await group.next() else { throw CancellationError() }
        return output
      }
    } catch {
      throw CommandFailure(AuthenticationError(wrapping: error))
    }
  }

  private func signIn() async throws -> JSONResult {
    let arguments = try await arguments.value()
    let isMCP = arguments.starts(with: MCPLogin.relayedWords)
    let type: any RelayedCommand.Type = isMCP ? MCPLogin.self : Login.self
    let command: any RelayedCommand
    do {
      command = try type.parse(Array(arguments.dropFirst(type.relayedWords.count)))
    } catch {
      // The local msauth accepted them, so it has another version.
      throw AuthenticationError(parserError: error)
    }
    Console.messages = command.options.messages
    return try await command.signIn(through: agent).output
  }

  /// Receives the local end's messages, and throws when there are no more.
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
    // Ctrl-C on the local computer, or a broken connection.
    let message = "the connection to the computer with the browser was closed"
    throw AuthenticationError(.canceled, message, reason: "relay_failed")
  }

  private func receive(_ message: RelayMessage) throws(Rejection) {
    guard case .begin(let arguments) = message else { return try agent.receive(message) }
    guard self.arguments.resume(arguments) else { throw Rejection("it is unexpected") }
  }
}
