package import Core

/// Requests that failed a moment ago and are not worth sending again yet, shared by all processes on the cache.
extension TokenCacheDocument {
  /// A loop over many accounts and scopes must not make the cache grow.
  private static let maximumCount = 32

  /// What is remembered of a failure.
  package func throttled(_ key: String, now: UnixTime, maximumDuration: Int64) -> (failure: String, until: UnixTime)? {
    guard let mark = own["throttled"]?[key], let until = mark.time("until"), until > now,
      until - now <= maximumDuration,
      mark.time("noted") ?? 0 <= now + Self.clockSkew, let failure = mark.string("failure")
    else { return nil }
    return (failure, until)
  }

  /// Remembers a failure; marks whose time is over go.
  package mutating func throttle(_ key: String, _ failure: String, until: UnixTime, now: UnixTime) {
    var marks = (own["throttled"]?.object ?? [:]).filter { $0.value.time("until") ?? 0 > now }
    if marks.count >= Self.maximumCount,
      let oldest = marks.min(by: { $0.value.time("until") ?? 0 < $1.value.time("until") ?? 0 })
    {
      marks[oldest.key] = nil
    }
    marks[key] = ["noted": .time(now), "until": .time(until), "failure": .string(failure)]
    own["throttled"] = .object(marks)
  }

  /// Forgets all failures: somebody has signed in.
  package mutating func clearThrottled() { own["throttled"] = nil }
}
