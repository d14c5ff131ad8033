/// How a sign-in ended, as the browser shows it and `msauth login --via` sends it.
public enum SignInOutcome: Sendable, Hashable, Codable {
  /// The user is signed in; `missingScopes` weren't granted.
  case signedIn(username: String, missingScopes: [String] = [])
  /// The user or the provider canceled.
  case denied
  /// The sign-in failed: English sentences, a stable word with Entra's number, the time in UTC, and the IDs in the
  /// provider's log.
  case failed(message: String, hint: String?, code: String, time: String, correlationID: String?, traceID: String?)
}
