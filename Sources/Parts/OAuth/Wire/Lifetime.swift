package import MSAuthCore

/// Lengths of time as providers write them.
package enum Lifetime {
  /// A year, so that adding it to a time never overflows.
  static let limit: Int64 = 366 * 24 * 60 * 60
  /// As in MSAL.
  package static let retryAfterLimit: Int64 = 3600

  /// A number of seconds, also as text: Entra's first version and others send `"3599"`.
  static func seconds(_ value: JSONValue?) -> Int64? {
    switch value {
    // RFC 8259 §6: other parsers read a number beyond a Double as infinity.
    case .number(let number)? where !number.isNegative && number.double.isFinite:
      min(number.truncated ?? limit, limit)
    case .string(let text)?: seconds(text)
    default: nil
    }
  }

  static func seconds(_ text: String) -> Int64? {
    guard (1...40).contains(text.utf8.count), text.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
    // Too many digits for Int64 are a huge number, not an invalid one.
    return min(Int64(text) ?? limit, limit)
  }

  /// Reads a `Retry-After` field (RFC 9110 §10.2.3).
  package static func retryAfter(_ field: String?, date: String?, now: UnixTime) -> Int64? {
    guard let field else { return nil }
    if let seconds = seconds(field.filter { $0 != " " }) { return min(seconds, retryAfterLimit) }
    guard let end = unixTime(ofHTTPDate: field) else { return nil }
    return min(max(end - (date.flatMap { unixTime(ofHTTPDate: $0) } ?? now), 0), retryAfterLimit)
  }
}
