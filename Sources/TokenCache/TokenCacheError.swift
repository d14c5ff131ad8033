/// Why the token cache cannot be read or written.
package struct TokenCacheError: Error, Sendable, Equatable {
  /// The kinds that a caller tells apart.
  package enum Kind: String, Sendable {
    /// The content is no token cache.
    case damaged
    /// Somebody else owns the file, may read it, or put a link in its place.
    case notTrusted = "not_trusted"
    /// It is larger than any cache.
    case tooLarge = "too_large"
    /// Another process holds the lock.
    case locked
    /// It cannot be written: read-only, full, no permission.
    case notWritable = "not_writable"
    /// It cannot be read.
    case notReadable = "not_readable"
    /// There is no keyring.
    case keyringAbsent = "keyring_absent"
    /// The keyring is locked and nobody unlocked it.
    case keyringLocked = "keyring_locked"
    /// The keyring did not answer in time.
    case keyringMute = "keyring_mute"
    /// The person dismissed the keyring's prompt.
    case keyringDismissed = "keyring_dismissed"
    /// The keyring answered with an error, or does not keep what it is given.
    case keyringFailed = "keyring_failed"
  }

  package var kind: Kind
  /// What was wrong and where, in words fit for a terminal.
  package var message: String
  /// What to do about it.
  package var hint: String?

  package init(_ kind: Kind, _ message: String, hint: String? = nil) {
    self.kind = kind
    self.message = message
    self.hint = hint
  }

  /// A stable word for the kind.
  package var code: String { "store_" + kind.rawValue }

  /// What is wrong with a document, wherever it came from.
  static func damaged(_ why: String) -> TokenCacheError { TokenCacheError(.damaged, why) }

  /// The same of the place that the document came from.
  ///
  /// - Parameters:
  ///   - place: Where it is, fit for a terminal.
  ///   - remedy: What a sign-in sets aside.
  /// - Returns: The error.
  func damage(of place: String, setAside remedy: String) -> TokenCacheError {
    TokenCacheError(kind, "\(place) is damaged: \(message)", hint: "sign in again, which sets \(remedy) aside")
  }
}
