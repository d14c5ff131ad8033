import MSAuth
import MSAuthPreferences

/// Ends a command that has already reported its failure.
struct CommandFailure: Error {
  let status: ExitStatus
  /// `nil` if the result couldn't be written.
  let error: AuthenticationError?
  let output: Output?

  init(_ error: AuthenticationError? = nil, status: ExitStatus? = nil, output: Output? = nil) {
    self.status = status ?? error.map(ExitStatus.init(of:)) ?? .failed
    (self.error, self.output) = (error, output)
  }

  /// A sign-out of which a step failed: its problems have been printed, so only the hint follows.
  init(incompleteStep error: AuthenticationError, output: Output, isJSON: Bool) {
    if !isJSON, let hint = error.hint { Console.hint(hint) }
    self.init(error, output: output)
  }
}
