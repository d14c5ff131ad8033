package import MSAuthCore
import MSAuthUnix

/// How long to wait for another process: its token request may take 30 s and be retried.
package let storeLockTimeout: Duration = .seconds(75)

/// Stores the token cache; calls block dedicated threads, and a canceled call leaves nothing half done.
package protocol TokenCacheStore: Sendable {
  /// The store's name in messages.
  var name: String { get }

  /// Reads the cache without a lock; a missing cache is empty.
  func load() async throws(AuthenticationError) -> TokenCacheDocument

  /// Where a change waits for the cache; `nil` for a cache that ends with the process.
  var journal: Journal? { get }

  /// Takes the lock that all writers respect, including other MSAL libraries.
  func acquire(within timeout: Duration) async throws(AuthenticationError) -> TokenCacheLock

  /// Proves that a spent refresh token's successor can be stored under this lock, and creates the journal for it.
  func checkWritable(holding lock: TokenCacheLock) async throws(AuthenticationError)

  /// Writes the cache atomically.
  func save(_ document: TokenCacheDocument, holding lock: TokenCacheLock) async throws(AuthenticationError)

  /// Renames a damaged cache and returns its new name; nothing is overwritten or deleted.
  func setAside(holding lock: TokenCacheLock) async throws(AuthenticationError) -> String?

  /// Deletes the damaged caches, which may contain tokens.
  func removeSetAside(holding lock: TokenCacheLock) async throws(AuthenticationError)
}

extension TokenCacheStore {
  /// Takes the lock, and stores the change that a process left which died or couldn't write the cache.
  package func lock(within timeout: Duration) async throws(AuthenticationError) -> TokenCacheLock {
    let lock = try await acquire(within: timeout)
    guard let journal else { return lock }
    do throws(AuthenticationError) {
      guard let change = try await BackgroundThread.runBriefly({ _ throws(AuthenticationError) in try journal.read() })
      else { return lock }
      if !change.isEmpty { try await apply(change, holding: lock) }
      journal.remove()
    } catch {
      lock.note(unstored: error)
    }
    return lock
  }

  /// Stores a change that can't be made again: first in the journal, then in the cache as it is now.
  ///
  /// Returns why it is only in the journal, from which the lock's next holder stores it. Nothing is stored for an account
  /// that was signed out meanwhile.
  package func commit(
    from old: TokenCacheDocument,
    to new: TokenCacheDocument,
    of account: AccountKey,
    holding lock: TokenCacheLock
  ) async throws(AuthenticationError) -> AuthenticationError? {
    let change = old.change(to: new)
    let journal = lock.takeJournal()
    let isKept = journal?.write(change) == true
    do throws(AuthenticationError) {
      do throws(AuthenticationError) {
        try await apply(change, of: account, holding: lock)
      } catch {
        guard error.reason == .locked else { throw error }
        // Another program has removed the lock file: MSAL Python removes it by its path.
        let lock = try await self.lock(within: storeLockTimeout)
        try await lock.whileHeld { try await apply(change, of: account, holding: lock) }
      }
    } catch {
      guard isKept else {
        journal?.remove()
        throw error
      }
      journal?.synchronize()
      journal?.close()
      return error
    }
    journal?.remove()
    return nil
  }

  private func apply(
    _ change: JSONValue.Object,
    of account: AccountKey? = nil,
    holding lock: TokenCacheLock
  ) async throws(AuthenticationError) {
    var document = try await load()
    if let account, document.isSignedOut(account) { return }
    document.apply(change)
    try await save(document, holding: lock)
  }
}

/// Creates the directory of one of the cache's files.
func createDirectory(of path: String) throws(AuthenticationError) {
  do throws(FileError) {
    try PrivateDirectory(of: path).create()
  } catch {
    throw AuthenticationError(error, otherwise: .notWritable)
  }
}
