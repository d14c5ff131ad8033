/// Seconds since 1970-01-01T00:00:00Z, as tokens and the token cache count time.
package typealias UnixTime = Int64

/// Where the time comes from.
package protocol WallClock: Sendable {
  /// The time now, in Unix seconds.
  func now() -> UnixTime
}

extension Duration {
  /// The seconds, rounded up: a wait is never shorter than asked for, and a token never less valid.
  package var secondsRoundedUp: Int64 {
    let (seconds, attoseconds) = components
    return attoseconds > 0 && seconds < .max ? seconds + 1 : seconds
  }

  /// The time in words, such as `5 minutes` or `90 s`.
  package var words: String {
    let seconds = secondsRoundedUp
    guard seconds >= 60, seconds.isMultiple(of: 60) else { return "\(seconds) s" }
    return seconds == 60 ? "1 minute" : "\(seconds / 60) minutes"
  }
}
