package import Core

/// Lengths of time as providers write them.
package enum Lifetime {
  /// A year: longer ones are clamped, so that adding them to a time never overflows.
  package static let limit: Int64 = 366 * 24 * 60 * 60
  /// How long a provider can make us wait, as in MSAL.
  package static let retryAfterLimit: Int64 = 3600

  /// Reads a number of seconds, also as text: Entra's first version and others send `"3599"`.
  static func seconds(_ value: JSON?) -> Int64? {
    switch value {
    // RFC 8259 §6: a number beyond a Double is one that other readers take for infinity.
    case .number(let number)? where !number.isNegative && number.double.isFinite:
      // A fraction of a second is dropped; a number too large for Int64 is a huge one, not a wrong one.
      min(number.truncated ?? limit, limit)
    case .string(let text)?: seconds(text)
    default: nil
    }
  }

  /// Reads digits.
  static func seconds(_ text: String) -> Int64? {
    guard (1...40).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    // Too many digits for Int64 are a huge number, not a wrong one.
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
