import MSAuth
import MSAuthPreferences

/// Ends a command that has already reported its failure.
struct CommandFailure: Error {
  let status: ExitStatus
  /// The error that `--json` prints; `nil` for none.
  let error: AuthenticationError?
  let output: Output?

  init(_ error: AuthenticationError? = nil, status: ExitStatus? = nil, output: Output? = nil) {
    self.status = status ?? error.map(ExitStatus.init(of:)) ?? .failed
    (self.error, self.output) = (error, output)
  }

  /// Reports a failed step of a sign-out; its problems have been printed, so only the hint follows.
  static func reported(incompleteStep error: AuthenticationError, output: Output, isJSON: Bool) -> CommandFailure {
    if !isJSON, let hint = error.hint { Console.hint(hint) }
    return CommandFailure(error, output: output)
  }
}
