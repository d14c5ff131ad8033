/// How long a call may be told to wait for a person.
public enum WaitingTime {
  /// The longest, in seconds: a day.
  ///
  /// Who waits longer has been forgotten. An infinite time is cut to it.
  public static let longest: Double = 86_400

  /// Checks a time that a caller gave.
  ///
  /// - Parameter seconds: The time.
  /// - Returns: The same, or ``longest`` for an infinite one.
  /// - Throws: ``AuthenticationError`` with ``AuthenticationError/Code/invalidParameter`` when it is no number, negative
  ///   or above ``longest``.
  static func checked(_ seconds: Double) throws -> Double {
    if seconds == .infinity { return longest }
    guard (0...longest).contains(seconds) else {
      throw AuthenticationError(
        .invalidParameter,
        "the timeout is not a number of seconds from 0 to \(Int(longest))",
        reason: .timeoutInvalid
      )
    }
    return seconds
  }
}
