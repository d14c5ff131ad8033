/// A text that must not be printed: a token, an authorization code, a PKCE verifier.
///
/// It prints as `[redacted]` in every way that Swift prints a value, it is not `Codable`, and it compares in constant
/// time. The text leaves it in one way only, ``revealed``, which is what a reviewer searches for.
package struct Secret: Sendable {
  /// The text itself, for the wire and the store alone.
  package let revealed: String

  /// Wraps a text so that it can no longer be printed by accident.
  package init(_ text: String) {
    self.revealed = text
  }

  /// Whether there is nothing in it.
  package var isEmpty: Bool { revealed.isEmpty }
}

extension Secret: Equatable {
  package static func == (left: Secret, right: Secret) -> Bool {
    constantTimeEqual(left.revealed.utf8, right.revealed.utf8)
  }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "[redacted]" }
  package var debugDescription: String { "[redacted]" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Compares two byte sequences in a time that depends on their lengths alone.
package func constantTimeEqual(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
  guard left.count == right.count else { return false }
  var difference: UInt8 = 0
  for (a, b) in zip(left, right) {
    difference |= a ^ b
  }
  return difference == 0
}
