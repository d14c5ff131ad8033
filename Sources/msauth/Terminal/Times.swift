import FoundationEssentials

/// Unix seconds as RFC 3339 in UTC.
func rfc3339(_ seconds: Int64) -> String {
  Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601)
}
