import CLibCrypto

/// Why libcrypto did not do what was asked.
package struct CryptoError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kinds that a caller distinguishes.
  package enum Code: String, Sendable, CaseIterable {
    /// The numbers given do not make a key that may be used.
    case invalidKey = "crypto_invalid_key"
    /// The key cannot sign with that algorithm.
    case unsuitableAlgorithm = "crypto_unsuitable_algorithm"
    /// The system gave no random bytes.
    case noRandomness = "crypto_no_randomness"
    /// libcrypto failed for a reason of its own.
    case failed = "crypto_failed"
  }

  package let code: Code
  /// What happened, in words fit for a terminal; never key material.
  package let message: String

  package var description: String { "\(message) (\(code.rawValue))" }

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// An error that ends with libcrypto's own reason, which is taken off its queue.
  ///
  /// The queue belongs to the thread. What stays in it would be read by the next user of OpenSSL on this thread, libcurl
  /// among them, as an error of its own.
  static func fromQueue(_ code: Code, _ what: String) -> CryptoError {
    let first = crypto.ERR_get_error()
    crypto.ERR_clear_error()
    guard first != 0, let reason = crypto.ERR_reason_error_string(first) else { return CryptoError(code, what) }
    return CryptoError(code, "\(what): \(String(cString: reason))")
  }
}
