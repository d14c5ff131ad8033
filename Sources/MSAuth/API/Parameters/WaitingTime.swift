/// How long a call may wait for the user.
public enum WaitingTime {
  /// The maximum: a day.
  public static let maximum: Duration = .seconds(86_400)

  /// Checks a caller's timeout.
  ///
  /// - Parameter timeout: The timeout.
  /// - Throws: ``AuthenticationError`` with `AuthenticationError.Code.invalidParameter` if it is negative or above
  ///   ``maximum``.
  static func check(_ timeout: Duration) throws(AuthenticationError) {
    guard (.zero...maximum).contains(timeout) else {
      throw AuthenticationError(
        .invalidParameter,
        "the timeout is not a number of seconds from 0 to \(maximum.components.seconds)",
        reason: "timeout_invalid"
      )
    }
  }
}
