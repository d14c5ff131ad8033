import CMSAuthCrypto
package import MSAuthCore

extension FailureReason {
  package static let invalidKey: Self = "crypto_invalid_key"
  package static let unsuitableAlgorithm: Self = "crypto_unsuitable_algorithm"
  static let crypto: Self = "crypto"
}

extension Failure {
  init(crypto reason: FailureReason, _ message: String) { self.init(.internalError, reason, message) }

  /// A failure with libcrypto's reason, taken off the thread's queue: libcurl would read what stays there as its own error.
  static func fromQueue(_ reason: FailureReason, _ what: String) -> Failure {
    let first = crypto.ERR_get_error()
    crypto.ERR_clear_error()
    guard first != 0, let words = crypto.ERR_reason_error_string(first) else {
      return Failure(crypto: reason, what)
    }
    return Failure(crypto: reason, "\(what): \(String(cString: words))")
  }
}
