/// Reads a date of an HTTP header field (RFC 9110 §5.6.7), such as `Sun, 06 Nov 1994 08:49:37 GMT`.
///
/// - Parameter string: The field's value; the two obsolete forms are not read.
/// - Returns: The Unix time; nil when it is no such date.
package func unixTime(ofHTTPDate string: String) -> UnixTime? {
  let words = string.utf8.split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) }
  let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
  guard words.count == 6, words[5] == "GMT", let month = months.firstIndex(of: words[2]).map({ Int64($0) + 1 }),
    let day = Int64(words[1]), let year = Int64(words[3]), (1...31).contains(day), (1970...9999).contains(year)
  else { return nil }
  let time = words[4].utf8.split(separator: UInt8(ascii: ":")).compactMap { Int64(String(decoding: $0, as: UTF8.self)) }
  guard time.count == 3, zip(time, [24, 60, 61]).allSatisfy({ $0 >= 0 && $0 < $1 }) else { return nil }
  // Days since 1970 in the Gregorian calendar, counted from March so that a leap day is a year's last.
  let shifted = month > 2 ? year : year - 1
  let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
  let days = shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
  return days * 86_400 + time[0] * 3600 + time[1] * 60 + time[2]
}
