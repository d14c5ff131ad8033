import Dispatch
import Glibc
import Subprocess
import SystemPackage

/// The command that runs while the provider is served.
struct DemoCommand: Sendable {
  let arguments: [String]
  let environment: Subprocess.Environment

  /// Runs the command until it ends or a signal arrives; returns the exit status.
  func run() async throws -> Int32 {
    // Ctrl-C reaches the command too, which decides what to do.
    signal(SIGINT) { _ in }
    return try await withThrowingTaskGroup(of: Int32.self) { group in
      group.addTask { await 128 + waitForSignal(SIGTERM, SIGHUP) }
      group.addTask { try await runUntilEnd() }
      defer { group.cancelAll() }
      return try await group.next() ?? 1
    }
  }

  private func runUntilEnd() async throws -> Int32 {
    var platformOptions = PlatformOptions()
    // An interactive shell ignores SIGTERM.
    platformOptions.teardownSequence = [.terminate, .terminalClosed].map {
      .send(signal: $0, allowedDurationToNextStep: .seconds(1))
    }
    let status: TerminationStatus
    do {
      status = try await Subprocess.run(
        arguments[0].utf8.contains(UInt8(ascii: "/")) ? .path(FilePath(arguments[0])) : .name(arguments[0]),
        arguments: Arguments(Array(arguments.dropFirst())),
        environment: environment,
        platformOptions: platformOptions,
        input: .currentStandardInput,
        output: .currentStandardOutput,
        error: .currentStandardError
      ).terminationStatus
    } catch {
      guard (error as? SubprocessError)?.code == .executableNotFound else { throw error }
      MSAuthDemo.report("error: \(arguments[0]): command not found")
      // As a shell does.
      return 127
    }
    return switch status {
    case .exited(let code): code
    case .signaled(let signal): 128 + signal
    }
  }
}

/// Waits for one of these signals, or for the task's cancellation; unlike `Interruption`, without blocking the main thread.
func waitForSignal(_ numbers: Int32...) async -> Int32 {
  let (signals, arrived) = AsyncStream<Int32>.makeStream()
  let sources = numbers.map { number in
    // A handler isn't inherited by a command, unlike an ignored signal.
    signal(number) { _ in }
    let source = DispatchSource.makeSignalSource(signal: number)
    source.setEventHandler { arrived.yield(number) }
    source.resume()
    return source
  }
  defer { sources.forEach { $0.cancel() } }
  for await signal in signals { return signal }
  return SIGTERM
}
