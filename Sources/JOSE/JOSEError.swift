import Core

/// Why a signed token or a key set is not accepted.
///
/// The reason says what was expected and what was found, fit for a terminal; it never holds the token.
package struct JOSEError: Error, Sendable, Equatable, CustomStringConvertible {
  /// One name per rule; the raw values are stable.
  package enum Code: String, Sendable, CaseIterable {
    case tooLarge = "too_large"
    case malformed
    case duplicateMember = "duplicate_member"
    case encrypted
    case unsigned
    case symmetricAlgorithm = "symmetric_algorithm"
    case algorithmUnsupported = "algorithm_unsupported"
    case criticalHeader = "critical_header"
    case keySetMalformed = "key_set_malformed"
    case keySetTooLarge = "key_set_too_large"
  }

  package let code: Code
  /// What is wrong, as the rest of a sentence that starts with the token or the key set.
  package let reason: String

  package init(_ code: Code, _ reason: String) {
    self.code = code
    self.reason = reason
  }

  /// What is wrong, in one line.
  package var message: String {
    code == .keySetMalformed || code == .keySetTooLarge ? "the key set \(reason)" : "the token \(reason)"
  }

  package var description: String { "\(message) (\(code.rawValue))" }
}
