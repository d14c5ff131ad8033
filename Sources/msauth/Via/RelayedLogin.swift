import Core
import FoundationEssentials
import MSAuth
import Unix

/// The end of `msauth login --via` that signs in: it runs where ssh connects to, and speaks with the other end on stdin
/// and stdout.
enum RelayedLogin {
  /// Signs in as the other end asks for it.
  static func run(_ signIn: @escaping @Sendable ([String], SignInEnd) async throws -> Output) async throws
    -> Output
  {
    let writer = MessageWriter()
    let result: Result<Output, any Error>
    do {
      result = .success(try await signedIn(writer, signIn))
    } catch {
      result = .failure(error)
    }
    // The result goes the same way, and comes last.
    await writer.finish()
    do {
      return try result.get()
    } catch {
      let error = AuthenticationError(wrapping: error)
      throw CommandFailure(status: ExitStatus(of: error), error: error)
    }
  }

  private static func signedIn(
    _ writer: MessageWriter,
    _ signIn: @escaping @Sendable ([String], SignInEnd) async throws -> Output
  ) async throws -> Output {
    let (lines, incoming) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
    guard BackgroundThread.start({ read(into: incoming) }) else {
      throw AuthenticationError(.internalError, "the system has no thread to give", reason: "unexpected")
    }
    let end = SignInEnd { writer.send($0.line) }
    writer.send(SignInEndMessage.hello(version: RelayLimits.version).line)
    return try await withThrowingTaskGroup(of: Output?.self) { group in
      let arguments = OneShot<[String]>()
      group.addTask {
        do {
          for try await line in lines {
            switch try BrowserEndMessage(line) {
            case .begin(let words) where arguments.current == nil: arguments.resume(words)
            case let message: try end.receive(message)
            }
          }
        } catch let error as Refusal {
          throw AuthenticationError(
            .invalidParameter,
            "the other end of --via sent what is not understood: \(error.reason)",
            reason: "relay_failed"
          )
        }
        try Task.checkCancellation()
        // Ctrl-C there, or a broken connection.
        throw AuthenticationError(.canceled, "the other end of --via is gone", reason: "relay_failed")
      }
      group.addTask { try await signIn(try await arguments.value(), end) }
      defer { group.cancelAll() }
      while let output = try await group.next() {
        if let output { return output }
      }
      throw CancellationError()
    }
  }

  /// Reads the lines of stdin, as long as there are any; blocks.
  private static func read(into lines: AsyncThrowingStream<[UInt8], any Error>.Continuation) {
    var buffer = LineBuffer(maximumLength: RelayLimits.maximumLineBytes)
    while true {
      let bytes = readInput(maximum: 64 << 10)
      guard !bytes.isEmpty else { return lines.finish() }
      do {
        for line in try buffer.append(bytes) { lines.yield(line) }
      } catch {
        return lines.finish(throwing: Refusal("a line is too long"))
      }
    }
  }
}
