import FoundationEssentials
import Glibc

enum Clock {
  /// The time if it is today, else date and time.
  static func time(of date: Date) -> String {
    let then = fields(of: date)
    let now = fields(of: Date())
    let isToday = then.tm_year == now.tm_year && then.tm_yday == now.tm_yday
    let time = "\(digits(then.tm_hour)):\(digits(then.tm_min))"
    return isToday ? time : "\(then.tm_year + 1900)-\(digits(then.tm_mon + 1))-\(digits(then.tm_mday)) \(time)"
  }

  /// Such as "for 58 minutes".
  static func interval(until date: Date) -> String {
    let seconds = max(0, Int64(date.timeIntervalSinceNow))
    let (count, unit) =
      switch seconds {
      case ..<120: (seconds, "second")
      case ..<7200: (seconds / 60, "minute")
      case ..<172_800: (seconds / 3600, "hour")
      default: (seconds / 86_400, "day")
      }
    return "for \(count) \(unit)\(count == 1 ? "" : "s")"
  }

  private static func fields(of date: Date) -> tm {
    var time = time_t(date.timeIntervalSince1970)
    var fields = tm()
    localtime_r(&time, &fields)
    return fields
  }

  private static func digits(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
