package import MSAuthCore
import MSAuthUnix
import Synchronization

/// A lock, held until it is released or its last reference is dropped.
package final class TokenCacheLock: Sendable {
  /// What it locks, so that one cache's lock can't authorize a write to another.
  private let path: String
  private let isValid: @Sendable () -> Bool
  private let held: Mutex<Held?>

  private struct Held: Sendable {
    let onRelease: @Sendable () -> Void
    /// The file created for the next write.
    var draft: Draft?
    /// Its key, if the cache is encrypted.
    var encryptionKey: StoreEncryption.Key?

    func end() {
      draft?.discard()
      onRelease()
    }
  }

  init(
    of path: String,
    isValid: @escaping @Sendable () -> Bool = { true },
    onRelease: @escaping @Sendable () -> Void
  ) {
    (self.path, self.isValid) = (path, isValid)
    held = Mutex(Held(onRelease: onRelease))
  }

  deinit { take()?.end() }

  package func release() async {
    guard let last = take() else { return }
    await BackgroundThread.run { _ in last.end() }
  }

  /// Runs work and releases the lock, also if the work fails.
  package func whileHeld<Value>(
    _ work: () async throws -> Value
  ) async throws(AuthenticationError) -> Value {
    do {
      let value = try await work()
      await release()
      return value
    } catch {
      await release()
      throw AuthenticationError(wrapping: error)
    }
  }

  private func take() -> Held? {
    held.withLock { held in
      defer { held = nil }
      return held
    }
  }

  /// The key for writes under this lock.
  var encryptionKey: StoreEncryption.Key? { held.withLock { $0?.encryptionKey } }

  /// Keeps a draft and its key for the next write; an unused draft is removed with the lock.
  func keep(_ draft: Draft, _ key: StoreEncryption.Key?) {
    let other = held.withLock { held in
      guard held != nil else { return Optional(draft) }
      held?.encryptionKey = key
      defer { held?.draft = draft }
      return held?.draft
    }
    other?.discard()
  }

  func takeDraft() -> Draft? {
    held.withLock { held in
      defer { held?.draft = nil }
      return held?.draft
    }
  }

  /// Throws unless this lock is held and locks that path.
  func require(for path: String) throws(AuthenticationError) {
    let isHeld = held.withLock { $0 != nil }
    guard isHeld, self.path == path, isValid() else {
      let message = "the lock \(path.printable()) is no longer held, so nothing was written"
      throw AuthenticationError(store: .locked, message, hint: .tryAgain)
    }
  }
}
