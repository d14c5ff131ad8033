extension Int {
  /// Whether an HTTP status means success (RFC 9110 §15.3).
  package var isSuccessStatus: Bool { (200...299).contains(self) }

  package var isRedirectStatus: Bool { (300...399).contains(self) }

  /// Whether the same request may succeed later: too slow, too early, too often or the server's fault (RFC 9110 §15.5.9,
  /// §15.6, RFC 8470 §5.2, RFC 6585 §4).
  package var isTransientStatus: Bool { [408, 425, 429].contains(self) || self >= 500 }

  /// Whether the same request would be rejected again.
  package var isRejectionStatus: Bool { (400...499).contains(self) && !isTransientStatus }
}

extension UInt8 {
  /// Whether the byte may be in a token of HTTP (`tchar` of RFC 9110 §5.6.2).
  package var isHTTPTokenCharacter: Bool { isASCIIAlphanumeric || "!#$%&'*+-.^_`|~".utf8.contains(self) }

  /// Whether the byte may be in the value of a header field (RFC 9110 §5.5).
  package var isHTTPFieldCharacter: Bool { self >= 0x20 && self != 0x7F || self == UInt8(ascii: "\t") }
}
