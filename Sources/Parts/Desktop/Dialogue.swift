import MSAuthCore
import Subprocess
import SystemPackage

/// Runs a program and exchanges lines with it until it ends.
///
/// The program stays in this session, so that it can prompt for a password on the terminal. Cancellation ends it, and so
/// does an error of `onLine`.
package func runDialogue(
  _ path: String,
  _ arguments: [String],
  environment: [String: String],
  maximumLineBytes: Int,
  input: AsyncStream<[UInt8]>,
  onErrorLine: @escaping @Sendable (String) -> Void,
  onLine: @escaping @Sendable ([UInt8]) async throws -> Void
) async throws -> Int32? {
  // Long enough for the program to restore the terminal's modes.
  let ending: [TeardownStep] = [.gracefulShutDown(allowedDurationToNextStep: .seconds(1))]
  var options = PlatformOptions()
  options.teardownSequence = ending
  let result = try await run(
    .path(FilePath(path)),
    arguments: .init(arguments),
    environment: .exactly(environment),
    platformOptions: options,
    input: .inputWriter,
    output: .sequence,
    error: .sequence
  ) { execution in
    let drained = OneShot<Void>()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        // A failed write means that the program is about to end.
        for await line in input {
          guard (try? await execution.standardInputWriter.write(line + [UInt8(ascii: "\n")])) != nil else { return }
        }
        try? await execution.standardInputWriter.finish()
      }
      group.addTask {
        defer { drained.resume() }
        try await execution.standardError.forEachLine(LineBuffer(maximumLength: 4 << 10, cutsLongLines: true)) { line in
          onErrorLine(String(decoding: line, as: UTF8.self))
        }
      }
      do {
        try await execution.standardOutput.forEachLine(LineBuffer(maximumLength: maximumLineBytes), onLine)
        try Task.checkCancellation()
      } catch {
        await execution.teardown(using: ending)
        throw error
      }
      // Another process may keep the error output open.
      do {
        try await withTimeout(.seconds(5)) { try await drained.value() }
      } catch {
        await execution.teardown(using: ending)
      }
      group.cancelAll()
    }
  }
  return result.terminationStatus.exitCode
}

extension SubprocessOutputSequence {
  /// Passes each line to the closure, also a last one without a line feed.
  fileprivate func forEachLine(_ buffer: LineBuffer, _ body: ([UInt8]) async throws -> Void) async throws {
    var lines = buffer
    for try await bytes in self {
      for line in try lines.append(bytes.withUnsafeBytes { Array($0) }) { try await body(line) }
    }
    let rest = lines.takeRest()
    if !rest.isEmpty { try await body(rest) }
  }
}
