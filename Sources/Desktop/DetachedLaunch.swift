import Core
import Subprocess
import SystemPackage

/// What is known about a program shortly after its start.
enum LaunchOutcome: Equatable, Sendable {
  /// It is running, or ended with status 0: it is assumed to have opened the address.
  case started
  case failed(String)
  /// The person was asked which program is to open it, and closed the question.
  case dismissed
}

/// Starts a program that lives on without us.
///
/// It gets a session of its own, so that neither a closed terminal nor Ctrl-C reaches it; `/dev/null` for its input and
/// output, so that a browser's messages do not mix with a token; and no descriptor from 3 on, which swift-subprocess
/// closes in the child: the listener's socket must not end up in a browser.
func launchDetached(
  _ path: String,
  _ arguments: [String],
  environment: [String: String],
  failureTimeout: Duration,
  onStart: @escaping @Sendable () -> Void
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
        environment: .exactly(environment),
        platformOptions: options,
        input: .none,
        output: .discarded,
        error: .discarded
      ) { _ in onStart() }
      switch result.terminationStatus {
      case .exited(0): outcome.resume(.started)
      case .exited(let code): outcome.resume(.failed("ended with status \(code)"))
      case .signaled(let signal): outcome.resume(.failed("was ended by signal \(signal)"))
      }
    } catch {
      outcome.resume(.failed("could not be started"))
    }
  }
  // Neither a timeout nor a cancelled caller is a failure of the program.
  return (try? await withTimeout(failureTimeout) { try await outcome.value() }) ?? .started
}
