package import Core
import Glibc
import Unix

/// Why the token cache cannot be read or written.
package struct TokenCacheError: Error, Sendable, Equatable {
  /// The kinds that a caller distinguishes.
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
    /// The cache is encrypted and its key is missing or another one, or it should be and has no usable key.
    case keyUnusable = "key_unusable"
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
    /// The calling task was cancelled.
    case cancelled
  }

  package var kind: Kind
  /// What was wrong and where, in words fit for a terminal.
  package var message: String
  /// What a person can do about it.
  package var remedy: Remedy?

  package init(_ kind: Kind, _ message: String, remedy: Remedy? = nil) {
    self.kind = kind
    self.message = message
    self.remedy = remedy
  }

  /// A stable word for the kind.
  package var code: String { "store_" + kind.rawValue }

  /// What was done with the file that cannot be used.
  enum Access {
    case reading, writing
  }

  /// A file or a directory of the cache cannot be used.
  init(_ error: FileError, while access: Access) {
    let kind: Kind =
      if case .tooLarge = error.reason {
        .tooLarge
      } else if error.isDistrusted {
        .notTrusted
      } else {
        access == .reading ? .notReadable : .notWritable
      }
    let consequence = kind == .notTrusted ? ", so it is not used" : ""
    self.init(kind, "\(error)\(consequence)", remedy: error.remedy)
  }

  /// What a cancelled task was about.
  static func cancelled(_ what: String) -> TokenCacheError { TokenCacheError(.cancelled, "\(what) was cancelled") }

  /// What is wrong with a document, wherever it came from.
  static func damaged(_ why: String) -> TokenCacheError { TokenCacheError(.damaged, why) }

  /// The same of the place that the document came from, in words fit for a terminal.
  func damage(of place: String) -> TokenCacheError {
    TokenCacheError(kind, "\(place) is damaged: \(message)", remedy: .replaceDamagedStore)
  }
}
