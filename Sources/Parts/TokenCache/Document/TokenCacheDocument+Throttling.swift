package import MSAuthCore

/// Recent failures, shared by all processes that use the cache, so that a request isn't repeated too soon.
extension TokenCacheDocument {
  /// A loop over many accounts and scopes must not enlarge the cache.
  private static let maximumCount = 32

  /// A stored failure that still applies.
  package func throttled(_ key: String, now: UnixTime, maximumDuration: Int64) -> (failure: String, until: UnixTime)? {
    guard let mark = state["throttled"]?[key], let until = mark.time("until"), until > now,
      until - now <= maximumDuration,
      mark.time("noted") ?? 0 <= now + Self.clockSkew, let failure = mark.string("failure")
    else { return nil }
    return (failure, until)
  }

  /// Stores a failure and removes expired ones.
  package mutating func throttle(_ key: String, _ failure: String, until: UnixTime, now: UnixTime) {
    var marks = state[object: "throttled"].filter { $0.value.time("until") ?? 0 > now }
    if marks.count >= Self.maximumCount,
      let oldest = marks.min(by: { $0.value.time("until") ?? 0 < $1.value.time("until") ?? 0 })
    {
      marks[oldest.key] = nil
    }
    marks[key] = ["noted": .time(now), "until": .time(until), "failure": .string(failure)]
    state[object: "throttled"] = marks
  }

  /// Removes all failures after a sign-in.
  package mutating func clearThrottled() { state["throttled"] = nil }
}
