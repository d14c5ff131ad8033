import Core
import Subprocess
import SystemPackage

/// How a program that was started fared by the end of the caller's patience.
enum LaunchOutcome: Equatable, Sendable {
  /// Still running, or ended well: it is believed to have taken the address.
  case taken
  case failed(String)
}

/// Starts a program that lives on without us.
///
/// It gets a session of its own, so that neither a closed terminal nor Ctrl-C reaches it; `/dev/null` for its input and
/// output, so that a browser's chatter stays out of a token's way; and no descriptor from 3 on, which swift-subprocess
/// closes in the child: the listener's socket must not end up in a browser.
///
/// - Parameters:
///   - path: The program's file.
///   - arguments: Without the program's name.
///   - environment: All that the program gets.
///   - patience: How long to watch for a failure; never how long the program may run.
/// - Returns: What is known by then, or earlier when the program ended or the task was cancelled.
func launchDetached(
  _ path: String,
  _ arguments: [String],
  environment: [String: String],
  patience: Duration
) async -> LaunchOutcome {
  let outcome = OneShot<LaunchOutcome>()
  // Tasks of their own: cancelling the caller must not end the browser, which is what `run` does when it is cancelled.
  Task.detached {
    var options = PlatformOptions()
    options.createSession = true
    do {
      let result = try await run(
        .path(FilePath(path)),
        arguments: .init(arguments),
        environment: .custom(environment.map { Array("\($0.key)=\($0.value)\0".utf8) }),
        platformOptions: options,
        input: .none,
        output: .discarded,
        error: .discarded
      )
      switch result.terminationStatus {
      case .exited(0): outcome.resume(.taken)
      case .exited(let code): outcome.resume(.failed("ended with status \(code)"))
      case .signaled(let signal): outcome.resume(.failed("was ended by signal \(signal)"))
      }
    } catch {
      outcome.resume(.failed("could not be started"))
    }
  }
  // Neither a timeout nor a cancelled caller is a failure of the program.
  return (try? await withTimeout(patience) { try await outcome.value() }) ?? .taken
}
