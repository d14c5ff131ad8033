import Subprocess
import Synchronization
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
  let first = FirstOutcome()
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
      case .exited(0): first.settle(.taken)
      case .exited(let code): first.settle(.failed("ended with status \(code)"))
      case .signaled(let signal): first.settle(.failed("was ended by signal \(signal)"))
      }
    } catch {
      first.settle(.failed("could not be started"))
    }
  }
  Task.detached {
    try? await Task.sleep(for: patience)
    first.settle(.taken)
  }
  return await withTaskCancellationHandler {
    await first.outcome()
  } onCancel: {
    first.settle(.taken)
  }
}

/// Keeps the first of several outcomes for the one who waits.
private final class FirstOutcome: Sendable {
  private enum State {
    case open
    case awaited(CheckedContinuation<LaunchOutcome, Never>)
    case settled(LaunchOutcome)
  }

  private let state = Mutex<State>(.open)

  func settle(_ outcome: LaunchOutcome) {
    let waiting = state.withLock { state -> CheckedContinuation<LaunchOutcome, Never>? in
      switch state {
      case .settled: return nil
      case .open:
        state = .settled(outcome)
        return nil
      case .awaited(let continuation):
        state = .settled(outcome)
        return continuation
      }
    }
    waiting?.resume(returning: outcome)
  }

  func outcome() async -> LaunchOutcome {
    await withCheckedContinuation { continuation in
      let known = state.withLock { state -> LaunchOutcome? in
        if case .settled(let outcome) = state { return outcome }
        state = .awaited(continuation)
        return nil
      }
      if let known { continuation.resume(returning: known) }
    }
  }
}
