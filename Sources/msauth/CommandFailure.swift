import MSAuth
import MSAuthPreferences

/// Ends a command that has already reported its failure.
struct CommandFailure: Error {
  let status: ExitStatus
  /// The error that `--json` prints; `nil` for none.
  let error: AuthenticationError?
  let output: JSONResult?

  init(_ error: AuthenticationError? = nil, status: ExitStatus? = nil, output: JSONResult? = nil) {
    self.status = status ?? error.map(ExitStatus.init(of:)) ?? .failed
    (self.error, self.output) = (error, output)
  }

  /// Prints the error.
  init(reporting error: AuthenticationError, status: ExitStatus? = nil) {
    Console.error(error)
    self.init(error, status: status)
  }

  /// Prints the errors of steps that don't keep later steps from running, and ends with the last; `nil` if none failed.
  init?(reporting errors: [AuthenticationError], output: JSONResult? = nil) {
    guard let last = errors.last else { return nil }
    for error in errors { Console.error(error) }
    self.init(last, output: output)
  }

  /// Prints only the hint: the sign-out's problems have been printed.
  init(hintingAt incompleteStep: AuthenticationError, output: JSONResult, isJSON: Bool) {
    if !isJSON, let hint = incompleteStep.hint { Console.hint(hint) }
    self.init(incompleteStep, output: output)
  }
}
