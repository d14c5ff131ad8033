/// Text that must not be printed, such as a token; not `Codable`, and compared in constant time.
package struct Secret: Sendable {
  /// The text, for the wire and the store only; reviewers search for this name.
  package let revealed: String

  package init(_ text: String) { revealed = text }

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

/// Compares bytes in a time that depends only on their number.
package func constantTimeEqual(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
  guard left.count == right.count else { return false }
  var difference: UInt8 = 0
  for (a, b) in zip(left, right) { difference |= a ^ b }
  return difference == 0
}
