import FoundationEssentials
import Glibc
import MSAuth
import MSAuthUnix

/// The remote end's user agent: asks the local end, over stdin and stdout, to listen and to open its browser.
final class RelayedUserAgent: UserAgent {
  private let listening = OneShot<Result<String, AuthenticationError>>()
  private let redirect = OneShot<Result<[RedirectField], AuthenticationError>>()
  private let confirmation = OneShot<Bool?>()
  private let timeout = OneShot<Duration>()

  /// Leaves time for the local end to report its timeout first.
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

  /// Writes a line, and ignores errors: if the local end disconnects, the input ends too.
  static func send(_ line: [UInt8]) async {
    _ = await BackgroundThread.run { _ in writeAll(line + [UInt8(ascii: "\n")], to: STDOUT_FILENO) }
  }

  /// Receives the local end's response to one of the messages above.
  func receive(_ message: RelayMessage) throws(Rejection) {
    switch message {
    case .confirmed(let answer): confirmation.resume(answer)
    case .listening(let uri): listening.resume(.success(uri))
    case .redirect(let fields): redirect.resume(.success(fields))
    case .failed(let failure):
      if !listening.resume(.failure(failure.error)) { redirect.resume(.failure(failure.error)) }
    case .begin, .confirm, .listen, .authorize, .show: throw Rejection("it is unexpected")
    }
  }
}
