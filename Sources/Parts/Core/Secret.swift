/// Text that must not be printed, such as a token; it isn't `Codable`, and is compared in constant time.
package struct Secret: Sendable {
  /// The text, only for requests and the store; reviews search for this name.
  package let revealed: String

  package init(_ text: String) { revealed = text }

  package var isEmpty: Bool { revealed.isEmpty }
}

extension Secret {
  /// 256 bits in base64url, as for a `state`, a `nonce` or a verifier (RFC 7636 §4.1).
  package static func random() -> Secret { Secret(Base64URL.encode(randomBytes(32))) }
}

/// Bytes from the system's generator.
package func randomBytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in .random(in: .min ... .max) } }

extension Secret: Equatable {
  package static func == (left: Secret, right: Secret) -> Bool {
    constantTimeEqual(left.revealed.utf8, right.revealed.utf8)
  }
}

extension Secret: Redacted {
  package var description: String { "[redacted]" }
}

/// A value whose description, which has no secrets, is all that `print`, `dump` and interpolation show.
package protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

// Public, since public types conform.
extension Redacted {
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Compares bytes in a time that depends only on their number.
package func constantTimeEqual(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
  guard left.count == right.count else { return false }
  var difference: UInt8 = 0
  for (a, b) in zip(left, right) { difference |= a ^ b }
  return difference == 0
}
