import MSAuth

/// The documented exit codes.
enum ExitStatus: Int32 {
  case done = 0
  case failed = 1
  case signInNeeded = 2
  case denied = 3
  case timedOut = 4
  case unreachable = 5
  case store = 6
  case ambiguous = 7
  case usage = 64
  case configuration = 78
  /// `exec`: the command is no program (env(1)).
  case notExecutable = 126
  /// `exec`: there is no such command (env(1)).
  case notFound = 127

  /// The exit code, by which a script knows the kind of failure.
  init(of error: AuthenticationError) {
    self =
      switch error.code {
      // Where nobody can be named, another account has to leave first.
      case .ambiguousAccount: error.candidates.isEmpty ? .signInNeeded : .ambiguous
      case .interactionRequired, .accountRequired: .signInNeeded
      case .userCanceled: .denied
      case .timedOut: .timedOut
      case .providerUnreachable: .unreachable
      case .storeUnavailable: .store
      case .invalidParameter: .usage
      case .invalidConfiguration: .configuration
      case .serverError, .serverDeclinedScopes, .invalidResponse, .listenerFailed, .canceled, .internalError: .failed
      }
  }
}

/// What ends a command that has reported it already, on stderr or as a part of its result.
struct CommandFailure: Error {
  var status: ExitStatus
  /// `nil` if the result could not be written.
  var error: AuthenticationError?
  var output: Output?

  static let unanswered = CommandFailure(
    status: .denied,
    error: AuthenticationError(.userCanceled, "the question was not answered")
  )
}
