import Core
import Transport

/// How wrong this computer's clock is, by a provider's.
struct ClockDifference: Sendable, Equatable {
  /// A minute, in seconds: a response may have been on its way or in a cache so long.
  static let tolerance: Int64 = 60

  /// How many seconds this computer's clock is ahead; negative when it is behind.
  let seconds: Int64

  init(seconds: Int64) {
    self.seconds = seconds
  }

  /// Compares a response's date (RFC 9110 §6.6.1), and its age in a cache on the way (RFC 9111 §5.1), with the time now.
  init?(_ response: HTTPResponse, now: UnixTime) {
    guard let date = response.header("Date").flatMap({ unixTime(ofHTTPDate: $0) }) else { return nil }
    let age = response.header("Age").flatMap { Int64($0) } ?? 0
    let (theirs, overflow) = date.addingReportingOverflow(max(age, 0))
    guard !overflow else { return nil }
    self.init(seconds: now - theirs)
  }

  var isTolerable: Bool { abs(seconds) <= Self.tolerance }

  /// Such as `this computer's clock is 5 minutes ahead of the provider's`.
  var sentence: String {
    let amount =
      switch abs(seconds) {
      case ..<120: "\(abs(seconds)) s"
      case ..<7200: "\(abs(seconds) / 60) minutes"
      case ..<172_800: "\(abs(seconds) / 3600) hours"
      default: "\(abs(seconds) / 86_400) days"
      }
    return "this computer's clock is \(amount) \(seconds > 0 ? "ahead of" : "behind") the provider's"
  }
}
