import Glibc
package import MSAuthCore
import MSAuthUnix
import Synchronization

/// Stores the token cache; calls block dedicated threads, and a canceled call leaves nothing half done.
package protocol TokenCacheStore: Sendable {
  /// The store's name in messages.
  var name: String { get }

  /// Reads the cache without a lock; a missing cache is empty.
  func load() async throws(Failure) -> TokenCacheDocument

  /// Takes the lock that all writers respect, including other MSAL libraries.
  func lock(within timeout: Duration) async throws(Failure) -> TokenCacheLock

  /// Prepares the next save under this lock, so that a spent refresh token's successor can be stored.
  func checkWritable(holding lock: TokenCacheLock) async throws(Failure)

  /// Writes the cache atomically.
  func save(_ document: TokenCacheDocument, holding lock: TokenCacheLock) async throws(Failure)

  /// Renames a damaged cache and returns its new name; nothing is overwritten or deleted.
  func setAside(holding lock: TokenCacheLock) async throws(Failure) -> String?

  /// Deletes the damaged caches, which may contain tokens.
  func removeSetAside(holding lock: TokenCacheLock) async throws(Failure)
}

extension FailureReason {
  package static let damaged: Self = "store_damaged"
  /// Another user owns the file, can read it, or put a link in its place.
  package static let notTrusted: Self = "store_not_trusted"
  /// It is larger than any cache.
  package static let tooLarge: Self = "store_too_large"
  package static let locked: Self = "store_locked"
  package static let notWritable: Self = "store_not_writable"
  package static let notReadable: Self = "store_not_readable"
  /// The cache is encrypted and the key is missing or wrong, or it should be encrypted and there is no usable key.
  package static let keyUnusable: Self = "store_key_unusable"
  package static let keyringAbsent: Self = "store_keyring_absent"
  package static let keyringLocked: Self = "store_keyring_locked"
  /// The keyring didn't respond in time.
  package static let keyringMute: Self = "store_keyring_mute"
  package static let keyringDismissed: Self = "store_keyring_dismissed"
  /// The keyring returned an error, or doesn't store the secret.
  package static let keyringFailed: Self = "store_keyring_failed"
}

extension Failure {
  package init(store reason: FailureReason, _ message: String, hint: Hint? = nil) {
    self.init(.storeUnavailable, reason, message, hint: hint)
  }

  init(_ error: FileError, otherwise other: FailureReason) {
    let reason: FailureReason =
      if case .tooLarge = error.reason { .tooLarge } else { error.isDistrusted ? .notTrusted : other }
    let consequence = reason == .notTrusted ? ", so it isn't used" : ""
    self.init(store: reason, "\(error)\(consequence)", hint: error.hint)
  }

  /// A system call failed, so nothing is written.
  init(notWritable code: Int32, _ what: String, hint: Hint? = nil) {
    self.init(store: .notWritable, "\(what): \(FileError.message(of: code))", hint: hint ?? FileError.hint(for: code))
  }

  static func damaged(_ why: String) -> Failure { Failure(store: .damaged, why) }

  /// Names the damaged store.
  func damage(of store: String) -> Failure {
    Failure(store: reason, "\(store) is damaged: \(message)", hint: "\(signIn: []), which sets the damaged store aside")
  }
}

/// Creates the directory of one of the cache's files.
func createDirectory(of path: String) throws(Failure) {
  do throws(FileError) {
    try PrivateDirectory(of: path).create()
  } catch {
    throw Failure(error, otherwise: .notWritable)
  }
}

/// A cache that ends with the process.
package final class MemoryStore: TokenCacheStore {
  private struct State {
    var document = TokenCacheDocument()
    var isLocked = false
  }

  private let state = Mutex(State())

  package init() {}

  package var name: String { "memory" }

  package func load() async throws(Failure) -> TokenCacheDocument {
    state.withLock { $0.document }
  }

  package func lock(within timeout: Duration) async throws(Failure) -> TokenCacheLock {
    // A suspending clock: the other task sleeps when the machine does.
    let clock = SuspendingClock()
    let deadline = clock.now.advanced(by: timeout)
    while true {
      let isAcquired = state.withLock { state in
        guard !state.isLocked else { return false }
        state.isLocked = true
        return true
      }
      if isAcquired { return TokenCacheLock(of: name) { [self] in state.withLock { $0.isLocked = false } } }
      if Task.isCancelled { throw .canceled }
      guard clock.now < deadline else {
        throw Failure(store: .locked, "another task holds the token cache in memory")
      }
      try? await Task.sleep(for: .milliseconds(5))
    }
  }

  package func checkWritable(holding lock: TokenCacheLock) async throws(Failure) {
    try lock.require(for: name)
  }

  package func save(_ document: TokenCacheDocument, holding lock: TokenCacheLock) async throws(Failure) {
    try lock.require(for: name)
    state.withLock { $0.document = document }
  }

  package func setAside(holding lock: TokenCacheLock) async throws(Failure) -> String? {
    // A document in memory was never read, so it can't be damaged.
    nil
  }

  package func removeSetAside(holding lock: TokenCacheLock) async throws(Failure) {
    try lock.require(for: name)
  }
}
