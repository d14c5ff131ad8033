import CLibCrypto
package import Core

extension FailureReason {
  /// The numbers given do not make a key that may be used.
  package static let invalidKey: Self = "crypto_invalid_key"
  /// The key cannot sign with that algorithm.
  package static let unsuitableAlgorithm: Self = "crypto_unsuitable_algorithm"
  package static let noRandomness: Self = "random"
  /// libcrypto failed for a reason of its own.
  static let crypto: Self = "crypto"
}

extension Failure {
  /// libcrypto did not do what was asked; the message never holds key material.
  init(crypto reason: FailureReason, _ message: String) { self.init(.internalError, reason, message) }

  /// A failure that ends with libcrypto's own reason, which is taken off its queue.
  ///
  /// The queue belongs to the thread. What stays in it would be read by the next user of OpenSSL on this thread, libcurl
  /// among them, as an error of its own.
  static func fromQueue(_ reason: FailureReason, _ what: String) -> Failure {
    let first = crypto.ERR_get_error()
    crypto.ERR_clear_error()
    guard first != 0, let words = crypto.ERR_reason_error_string(first) else {
      return Failure(crypto: reason, what)
    }
    return Failure(crypto: reason, "\(what): \(String(cString: words))")
  }
}
