import FoundationEssentials
import MSAuth

extension Date {
  /// How long a token with this expiry is valid.
  var validity: String { "valid for \(Duration.seconds(max(0, timeIntervalSinceNow)).roundedWords), until \(time)" }

  /// The time if it is today, else date and time.
  private var time: String {
    let isToday = localTime(unixTime, "%F") == localTime(Date().unixTime, "%F")
    return localTime(unixTime, isToday ? "%R" : "%F %R")
  }
}
