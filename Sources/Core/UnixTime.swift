/// Seconds since 1970-01-01T00:00:00Z, as tokens and the token cache count time.
package typealias UnixTime = Int64

/// Where the time comes from.
package protocol WallClock: Sendable {
  /// The time now, in Unix seconds.
  func now() -> UnixTime
}
