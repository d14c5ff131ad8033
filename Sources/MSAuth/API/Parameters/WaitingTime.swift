/// How long a call may wait for the user.
public enum WaitingTime {
  /// The maximum, in seconds: a day.
  ///
  /// An infinite time is reduced to it.
  public static let maximum: Double = 86_400

  /// Checks a caller's timeout.
  ///
  /// - Parameter seconds: The timeout.
  /// - Returns: The timeout, at most ``maximum``.
  /// - Throws: ``AuthenticationError`` with ``AuthenticationError/Code/invalidParameter`` if it is not a number,
  ///   negative, or finite and above ``maximum``.
  static func checked(_ seconds: Double) throws -> Double {
    if seconds == .infinity { return maximum }
    guard (0...maximum).contains(seconds) else {
      throw AuthenticationError(
        .invalidParameter,
        "the timeout is not a number of seconds from 0 to \(Int(maximum))",
        reason: .timeoutInvalid
      )
    }
    return seconds
  }
}
