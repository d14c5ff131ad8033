package import MSAuthCore
import MSAuthUnix

extension AuthenticationError.Reason {
  package static let damaged: Self = "store_damaged"
  /// Another user owns the file, can read it, or put a link in its place.
  static let notTrusted: Self = "store_not_trusted"
  /// It is larger than any cache.
  package static let tooLarge: Self = "store_too_large"
  package static let locked: Self = "store_locked"
  static let notWritable: Self = "store_not_writable"
  static let notReadable: Self = "store_not_readable"
  /// The cache is encrypted and the key is missing or wrong, or it should be encrypted and there is no usable key.
  static let keyUnusable: Self = "store_key_unusable"
  package static let keyringAbsent: Self = "store_keyring_absent"
  package static let keyringLocked: Self = "store_keyring_locked"
  /// The keyring didn't respond in time.
  package static let keyringUnresponsive: Self = "store_keyring_mute"
  package static let keyringDismissed: Self = "store_keyring_dismissed"
  /// The keyring returned an error, or doesn't store the secret.
  package static let keyringFailed: Self = "store_keyring_failed"
}

extension AuthenticationError {
  init(store reason: AuthenticationError.Reason, _ message: String, hint: Hint? = nil) {
    self.init(.storeUnavailable, message, reason: reason, hint: hint)
  }

  init(_ error: FileError, otherwise other: AuthenticationError.Reason) {
    let reason: AuthenticationError.Reason =
      if case .tooLarge = error.reason { .tooLarge } else { error.isDistrusted ? .notTrusted : other }
    let consequence = reason == .notTrusted ? ", so it isn't used" : ""
    self.init(store: reason, "\(error)\(consequence)", hint: error.hint)
  }

  /// A system call failed, so nothing is written.
  init(notWritable code: Int32, _ what: String, hint: Hint? = nil) {
    self.init(store: .notWritable, "\(what): \(FileError.message(of: code))", hint: hint ?? FileError.hint(for: code))
  }

  init(notWritten path: String, _ error: FileError) {
    guard case .system(let code) = error.reason else {
      self.init(error, otherwise: .notWritable)
      return
    }
    self.init(notWritable: code, "\(path.printable()) can't be written")
  }

  init(damaged store: String, _ flaw: Rejection) {
    let hint: Hint = "\(signIn: []), which sets the damaged store aside"
    self.init(store: .damaged, "\(store) is damaged: it \(flaw.reason)", hint: hint)
  }
}
