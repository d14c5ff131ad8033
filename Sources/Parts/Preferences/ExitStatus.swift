import MSAuth
package import MSAuthCore

/// The exit statuses of msauth's programs.
package enum ExitStatus: Int32, CaseIterable {
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
  // Like env(1)'s.
  case notExecutable = 126
  case notFound = 127

  /// Those of every command; `exec` alone has the rest.
  package static let common = allCases.filter { ![.notExecutable, .notFound].contains($0) }

  /// In the words of `msauth --help`, msauth(1) and README.
  package var meaning: String {
    switch self {
    case .done: "done"
    case .failed: "failed"
    case .signInNeeded: "sign-in needed, or a different account signed in"
    case .denied: "denied or canceled"
    case .timedOut: "timed out"
    case .unreachable: "network, provider or resource unreachable or busy"
    case .store: "token store locked, damaged or not trusted"
    case .ambiguous: "several accounts match"
    case .usage: "invalid usage"
    case .configuration: "invalid configuration"
    case .notExecutable: "not executable"
    case .notFound: "command not found"
    }
  }

  package init(of error: AuthenticationError) {
    self =
      switch error.code {
      // Without candidates, only one account is allowed, and another must sign out first.
      case .ambiguousAccount: error.candidates.isEmpty ? .failed : .ambiguous
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
