import MSAuthTransport

/// The difference between this computer's clock and a provider's.
struct ClockSkew: Sendable, Equatable {
  /// Seconds that a response may have been in transit or in a cache.
  static let tolerance: Int64 = 60

  /// Positive if this computer's clock is ahead.
  let seconds: Int64

  /// Compares a response's date (RFC 9110 §6.6.1) and its age in a cache (RFC 9111 §5.1) with the current time.
  init?(_ response: HTTPResponse, now: UnixTime) {
    guard let date = response.header("Date").flatMap({ unixTime(ofHTTPDate: $0) }) else { return nil }
    let age = response.header("Age").flatMap { Int64($0) } ?? 0
    let (theirs, overflow) = date.addingReportingOverflow(max(age, 0))
    guard !overflow else { return nil }
    seconds = now - theirs
  }

  var isWithinTolerance: Bool { abs(seconds) <= Self.tolerance }

  var sentence: String {
    let amount = Duration.seconds(abs(seconds)).roundedWords
    return "this computer's clock is \(amount) \(seconds > 0 ? "ahead of" : "behind") the provider's"
  }
}
