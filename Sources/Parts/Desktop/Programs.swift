package import FoundationEssentials
import Glibc
import MSAuthCore
import Subprocess
import SystemPackage

/// The path of a program, as a shell finds it; ignores relative directories of the search path.
package func findProgram(_ program: String, path: String?) -> String? {
  func isExecutableFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
  }
  guard !program.isEmpty, !program.utf8.contains(0) else { return nil }
  if program.utf8.contains(UInt8(ascii: "/")) { return isExecutableFile(program) ? program : nil }
  return (path ?? "/usr/local/bin:/usr/bin:/bin").split(at: ":").lazy
    .filter { $0.utf8.first == UInt8(ascii: "/") }
    .map { "\($0)/\(program)" }
    .first(where: isExecutableFile)
}

let notFound = "command not found"

/// A shell's message for a program that isn't on the path.
package func commandNotFound(_ program: String) -> String { "\(program.printable(limit: 200)): \(notFound)" }

package struct ProgramOutput: Sendable {
  /// nil if a signal ended it.
  package let code: Int32?
  package let output: String
  package let errors: String
}

/// Runs a program to its end; nil if it could not be started.
package func runProgram(
  _ name: String,
  _ arguments: [String],
  input: String = "",
  outputLimit: Int = 64 << 10,
  environment: [String: String]
) async -> ProgramOutput? {
  guard let path = findProgram(name, path: environment["PATH"]) else { return nil }
  let result = try? await run(
    .path(FilePath(path)),
    arguments: .init(arguments),
    environment: .exactly(environment),
    input: .string(input),
    output: .string(limit: outputLimit),
    error: .string(limit: 64 << 10)
  )
  guard let result else { return nil }
  return ProgramOutput(
    code: result.terminationStatus.exitCode,
    output: result.standardOutput,
    errors: result.standardError
  )
}

extension Environment {
  /// Only these variables.
  static func exactly(_ variables: [String: String]) -> Environment {
    .custom(variables.map { Array("\($0.key)=\($0.value)\0".utf8) })
  }
}

extension TerminationStatus {
  var exitCode: Int32? { if case .exited(let code) = self { code } else { nil } }
}

/// The state of a program shortly after its start.
enum LaunchOutcome: Equatable, Sendable {
  /// It is running or exited with 0, so it is assumed to have opened the address.
  case started
  case failed(String)
  /// The user closed the dialog for choosing a program.
  case dismissed
}

/// Starts a program that outlives this process.
///
/// A separate session shields it from a closed terminal and Ctrl-C, and `/dev/null` keeps its messages apart from a
/// token. swift-subprocess closes descriptors from 3 on: the listener's socket must not leak into a browser.
func launchDetached(
  _ path: String,
  _ arguments: [String],
  environment: [String: String],
  failureTimeout: Duration
) async -> LaunchOutcome {
  let outcome = OneShot<LaunchOutcome>()
  // Detached, since `run` ends the program when its task is canceled.
  Task.detached {
    var options = PlatformOptions()
    options.createSession = true
    do {
      let result = try await run(
        .path(FilePath(path)),
        arguments: .init(arguments),
        environment: .exactly(environment),
        platformOptions: options,
        input: .none,
        output: .discarded,
        error: .discarded
      )
      switch result.terminationStatus {
      case .exited(0): outcome.resume(.started)
      case .exited(let code): outcome.resume(.failed("ended with status \(code)"))
      case .signaled(let signal): outcome.resume(.failed("was ended by signal \(signal)"))
      }
    } catch {
      outcome.resume(.failed("couldn't be started"))
    }
  }
  // Neither a timeout nor cancellation is a failure of the program.
  return (try? await withTimeout(failureTimeout) { try await outcome.value() }) ?? .started
}

/// Runs a program and exchanges lines with it until it ends.
///
/// It stays in this session, so that it can prompt for a password on the terminal. Cancellation ends it, and so does an
/// error of `onLine`.
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
        // A program that no longer reads is about to end.
        for await line in input {
          guard (try? await execution.standardInputWriter.write(line + [UInt8(ascii: "\n")])) != nil else { return }
        }
        try? await execution.standardInputWriter.finish()
      }
      group.addTask {
        defer { drained.resume() }
        var lines = LineBuffer(maximumLength: 4 << 10, cutsLongLines: true)
        for try await buffer in execution.standardError {
          for line in try lines.append(buffer.withUnsafeBytes { Array($0) }) {
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
        let rest = lines.takeRest()
        if !rest.isEmpty { try await onLine(rest) }
        try Task.checkCancellation()
      } catch {
        await execution.teardown(using: ending)
        throw error
      }
      // Other processes may hold its error output open.
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

/// Draws an address as a QR code for a terminal, if `qrencode` is installed.
package func terminalQRCode(
  of address: URL,
  isColored: Bool,
  maximumWidth: Int,
  environment: [String: String]
) async -> String? {
  let result = await runProgram(
    "qrencode",
    ["-t", isColored ? "ANSIUTF8" : "UTF8", "-m", "2", "-o", "-"],
    input: address.absoluteString,
    environment: environment
  )
  guard let drawing = result?.output, result?.code == 0, !drawing.isEmpty else { return nil }
  // The blocks of one line are its width; color codes contain none.
  let width = drawing.prefix { $0 != "\n" }.count { $0 == "█" }
  return width > maximumWidth ? nil : drawing
}
