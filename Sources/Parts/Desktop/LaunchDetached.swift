import MSAuthCore
import Subprocess
import SystemPackage

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
