package import FoundationEssentials
import Glibc

/// Seconds since 1970-01-01T00:00:00Z.
package typealias UnixTime = Int64

/// The last second of the year 9999: arithmetic with later times could overflow.
package let lastTime: UnixTime = 253_402_300_799

package protocol WallClock: Sendable {
  func now() -> UnixTime
}

package struct SystemClock: WallClock {
  package init() {}

  package func now() -> UnixTime { UnixTime(time(nil)) }
}

extension Date {
  package var unixTime: UnixTime { UnixTime(timeIntervalSince1970) }
}

extension Duration {
  /// Rounded up: a wait is never shorter than requested, and a token never less valid.
  package var secondsRoundedUp: Int64 {
    let (seconds, attoseconds) = components
    return attoseconds > 0 && seconds < .max ? seconds + 1 : seconds
  }

  /// Such as `8 hours`, `5 minutes` or `90 s`.
  package var words: String {
    let seconds = secondsRoundedUp
    let units: [(size: Int64, name: String)] = [(86_400, "day"), (3600, "hour"), (60, "minute")]
    guard seconds > 0, let unit = units.first(where: { seconds.isMultiple(of: $0.size) }) else { return "\(seconds) s" }
    let count = seconds / unit.size
    return "\(count) \(unit.name)\(count == 1 ? "" : "s")"
  }

  /// Rounded down to a unit that is precise enough for a reader, such as `58 minutes` or `3 days`.
  package var roundedWords: String {
    let seconds = components.seconds
    return switch seconds {
    case ..<120: "\(seconds) s"
    case ..<7200: "\(seconds / 60) minutes"
    case ..<172_800: "\(seconds / 3600) hours"
    default: "\(seconds / 86_400) days"
    }
  }
}

/// The local date or time in a format of strftime(3).
package func localTime(_ time: UnixTime, _ format: String) -> String {
  var (time, fields) = (time_t(time), tm())
  localtime_r(&time, &fields)
  return String(unsafeUninitializedCapacity: 40) { buffer in
    buffer.withMemoryRebound(to: CChar.self) { strftime($0.baseAddress, $0.count, format, &fields) }
  }
}

/// Parses the date in an HTTP header field (RFC 9110 §5.6.7), such as `Sun, 06 Nov 1994 08:49:37 GMT`.
package func unixTime(ofHTTPDate string: String) -> UnixTime? {
  let words = string.utf8.split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) }
  let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
  guard words.count == 6, words[5] == "GMT", let month = months.firstIndex(of: words[2]),
    let day = Int32(words[1]), let year = Int32(words[3]), (1...31).contains(day), (1970...9999).contains(year)
  else { return nil }
  let time = words[4].split(at: ":").map { Int32($0) ?? -1 }
  guard time.count == 3, zip(time, [24, 60, 61]).allSatisfy({ $0 >= 0 && $0 < $1 }) else { return nil }
  var parts = tm()
  (parts.tm_year, parts.tm_mon, parts.tm_mday) = (year - 1900, Int32(month), day)
  (parts.tm_hour, parts.tm_min, parts.tm_sec) = (time[0], time[1], time[2])
  return UnixTime(timegm(&parts))
}
