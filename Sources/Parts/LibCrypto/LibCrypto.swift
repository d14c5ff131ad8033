import CMSAuthCrypto
import Glibc
import MSAuthCore
import MSAuthUnix

/// libcrypto's functions, opened on first use and never closed; if that fails, the process ends, as if libcrypto were linked.
nonisolated(unsafe) let library: UnsafePointer<libcrypto> = {
  let functions = UnsafeMutablePointer<libcrypto>.allocate(capacity: 1)
  functions.initialize(to: libcrypto())
  var reason = [CChar](repeating: 0, count: 512)
  guard libcrypto_open(functions, &reason, reason.count) else {
    let program = ProcessArguments.programName.map { "\($0): " } ?? ""
    let message = Array(
      """
      \(program)OpenSSL's libcrypto is needed and couldn't be loaded: \(String(cString: &reason))
      \(program)hint: install it (libssl3 on Debian and Ubuntu, openssl-libs on Fedora, openssl on Arch)

      """.utf8
    )
    _ = write(STDERR_FILENO, message, message.count)
    exit(EXIT_FAILURE)
  }
  return UnsafePointer(functions)
}()

/// The functions under their own names: `crypto.EVP_Q_digest(…)`.
var crypto: libcrypto { library.pointee }

extension AuthenticationError.Reason {
  static let invalidKey: Self = "crypto_invalid_key"
  static let unsuitableAlgorithm: Self = "crypto_unsuitable_algorithm"
  static let crypto: Self = "crypto"
}

extension AuthenticationError {
  init(crypto reason: AuthenticationError.Reason, _ message: String) {
    self.init(.internalError, message, reason: reason)
  }

  /// A failure with the reason in the thread's error queue, which is emptied: libcurl would report a leftover as its own.
  static func libcryptoFailure(_ reason: AuthenticationError.Reason, _ what: String) -> AuthenticationError {
    let first = crypto.ERR_get_error()
    crypto.ERR_clear_error()
    guard first != 0, let words = crypto.ERR_reason_error_string(first) else {
      return AuthenticationError(crypto: reason, what)
    }
    return AuthenticationError(crypto: reason, "\(what): \(String(cString: words))")
  }
}
