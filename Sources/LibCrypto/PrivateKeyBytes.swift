/// A private key outside of libcrypto: PKCS #8 in DER (RFC 5958), which every crypto library and `openssl pkey` read.
///
/// It prints as `[redacted]`. The bytes leave it in one way only, ``revealed``, which is what a reviewer searches for.
package struct PrivateKeyBytes: Sendable, Equatable {
  /// The bytes themselves, for the store alone.
  package let revealed: [UInt8]

  /// Wraps bytes so that they can no longer be printed by accident.
  package init(_ bytes: [UInt8]) {
    revealed = bytes
  }
}

extension PrivateKeyBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "[redacted]" }
  package var debugDescription: String { "[redacted]" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
