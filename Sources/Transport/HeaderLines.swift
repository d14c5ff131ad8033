import Core

extension HTTPRequest {
  /// The header lines as libcurl takes them, checked so that no value can begin another line (RFC 9110 §5.5).
  ///
  /// - Throws: ``TransportError`` of kind `refused`; it names the field, never its value.
  func headerLines(for destination: Destination) throws(TransportError) -> [String] {
    func refusal(_ reason: String) -> TransportError {
      TransportError(.refused, host: destination.name, message: reason)
    }
    var lines: [String] = []
    for (name, value) in headers {
      guard !name.isEmpty, name.utf8.allSatisfy(Self.isTokenByte) else {
        throw refusal("a header field's name is malformed: \(name.printable(limit: 40))")
      }
      guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
        throw refusal("the header field \(name) has a control character")
      }
      // libcurl takes "Name:" as an order to send none, and "Name;" for an empty value.
      lines.append(value.allSatisfy { $0 == " " || $0 == "\t" } ? "\(name);" : "\(name): \(value)")
    }
    for (scheme, credentials) in [("Bearer", bearer), ("DPoP", dpop), ("Basic", basic)] {
      guard let credentials else { continue }
      // b64token (RFC 6750 §2.1) is narrower still; servers issue tokens outside of it.
      guard !credentials.isEmpty, credentials.revealed.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
        throw refusal("the \(scheme) credentials have characters that no header field may have")
      }
      lines.append("Authorization: \(scheme) \(credentials.revealed)")
    }
    // Older versions ask for leave before a body of one kilobyte, and wait a second for the answer.
    lines.append("Expect:")
    return lines
  }

  /// `tchar` of RFC 9110 §5.6.2.
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
