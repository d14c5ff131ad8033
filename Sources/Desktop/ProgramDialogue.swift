import Core
import Subprocess
import SystemPackage

/// Runs a program and exchanges lines with it until it ends.
///
/// The program stays in this process's session, so that it can ask for a password on the terminal. It is ended when the
/// task is cancelled, or when it says a line that is refused.
package func runDialogue(
  _ path: String,
  _ arguments: [String],
  environment: [String: String],
  maximumLineBytes: Int,
  input: AsyncStream<[UInt8]>,
  onErrorLine: @escaping @Sendable (String) -> Void,
  onLine: @escaping @Sendable ([UInt8]) async throws -> Void
) async throws -> Int32? {
  // Long enough to put the terminal's modes back.
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
        // A program that no longer reads is about to end, which its output shows.
        for await line in input {
          guard (try? await execution.standardInputWriter.write(line + [UInt8(ascii: "\n")])) != nil else { return }
        }
        try? await execution.standardInputWriter.finish()
      }
      group.addTask {
        defer { drained.resume() }
        var lines = LineBuffer(maximumLength: 4 << 10)
        for try await buffer in execution.standardError {
          for line in lines.appendCutting(buffer.withUnsafeBytes { Array($0) }) {
            onErrorLine(String(decoding: line, as: UTF8.self))
          }
        }
        let rest = lines.takeRest()
        if !rest.isEmpty { onErrorLine(String(decoding: rest, as: UTF8.self)) }
      }
      do {
        var lines = LineBuffer(maximumLength: maximumLineBytes)
        for try await buffer in execution.standardOutput {
          for line in try lines.append(buffer.withUnsafeBytes { Array($0) }) { try await onLine(line) }
        }
        try Task.checkCancellation()
      } catch {
        await execution.teardown(using: ending)
        throw error
      }
      // Its end is near; that of its error output comes with it, whoever else holds that open.
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
