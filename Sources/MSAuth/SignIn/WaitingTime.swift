/// How long a call may wait for the user.
package enum WaitingTime {
  /// The maximum: a day.
  package static let maximum: Duration = .seconds(86_400)

  static func check(_ timeout: Duration) throws(AuthenticationError) {
    try timeout.check("the timeout", upTo: maximum, reason: "timeout_invalid")
  }
}

extension Duration {
  func check(
    _ name: String,
    upTo maximum: Duration,
    reason: AuthenticationError.Reason
  ) throws(AuthenticationError) {
    guard !(.zero...maximum).contains(self) else { return }
    let message = "\(name) isn't a number of seconds from 0 to \(maximum.components.seconds)"
    throw AuthenticationError(.invalidParameter, message, reason: reason)
  }
}
