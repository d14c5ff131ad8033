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
}
