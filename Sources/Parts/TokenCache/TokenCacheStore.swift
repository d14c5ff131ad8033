package import MSAuthCore
import MSAuthUnix

/// How long to wait for another process: longer than a refresh, its retry, and the grace for another machine.
package let storeLockTimeout: Duration = defaultRequestTimeout * 2 + .seconds(15)

/// Stores the token cache; calls block dedicated threads, and a canceled call leaves nothing half done.
package protocol TokenCacheStore: Sendable {
  /// The store's name in messages.
  var name: String { get }

  /// Reads the cache without a lock; a missing cache is empty.
  func load() async throws(AuthenticationError) -> TokenCacheDocument

  /// Where a change waits for the cache; `nil` if the cache ends with the process, or if no directory can hold it.
  var journal: Journal? { get }

  /// Takes the lock that all writers respect, including other MSAL libraries.
  func acquire(within timeout: Duration) async throws(AuthenticationError) -> TokenCacheLock

  /// Checks what a save under this lock needs; returns the disk space, in bytes.
  func checkSave(holding lock: TokenCacheLock) async throws(AuthenticationError) -> Int

  /// Writes the cache atomically.
  func save(_ document: TokenCacheDocument, holding lock: TokenCacheLock) async throws(AuthenticationError)

  /// Renames a damaged cache and returns its new name; nothing is overwritten or deleted.
  func setAside(holding lock: TokenCacheLock) async throws(AuthenticationError) -> String?

  /// Deletes the damaged caches, which may contain tokens.
  func removeSetAside(holding lock: TokenCacheLock) async throws(AuthenticationError)
}

extension TokenCacheStore {
  /// Takes the lock, and replays the journal of a process that died or couldn't write the cache.
  package func lock(within timeout: Duration) async throws(AuthenticationError) -> TokenCacheLock {
    try BackgroundThread.requireFreeThreads()
    let lock = try await acquire(within: timeout)
    // A failure matters only to a refresh, whose `checkWritable` replays the journal again.
    try? await replayJournal(holding: lock)
    return lock
  }

  /// Runs work under the lock, and again if another program removes the lock before anything is written.
  ///
  /// MSAL Python removes the lock file by its path. The keyring's lock has another part.
  package func whileLocked<Value>(
    _ work: (TokenCacheLock) async throws -> Value
  ) async throws(AuthenticationError) -> Value {
    let deadline = Deadline(in: storeLockTimeout)
    while true {
      let lock = try await lock(within: storeLockTimeout)
      do throws(AuthenticationError) {
        return try await lock.whileHeld { try await work(lock) }
      } catch {
        guard error.reason == .locked, !deadline.hasPassed else { throw error }
      }
    }
  }

  /// Checks that a spent refresh token's successor can be stored under this lock, and creates the journal for it.
  package func checkWritable(holding lock: TokenCacheLock) async throws(AuthenticationError) {
    let space = try await checkSave(holding: lock)
    guard let journal else { return }
    try await replayJournal(holding: lock)
    try await BackgroundThread.run { _ throws(AuthenticationError) in try lock.begin(journal, reserving: space) }
  }

  /// Stores the change that a process left, unless it has become obsolete, as by a sign-out.
  package func replayJournal(holding lock: TokenCacheLock) async throws(AuthenticationError) {
    guard let journal, journal.exists else { return }
    if let change = try await pendingChange() { try await apply(change, holding: lock) }
    journal.remove()
  }

  /// The change that a process left in the journal.
  package func pendingChange() async throws(AuthenticationError) -> Journal.Change? {
    guard let journal, journal.exists else { return nil }
    return try await BackgroundThread.run(isBrief: true) { _ throws(AuthenticationError) in try journal.read() }
  }

  /// Commits a change that cost a refresh token: writes it to the journal, then applies it to the current cache.
  ///
  /// Returns why it is only in the journal, from which the lock's next holder stores it.
  package func commit(
    from old: TokenCacheDocument,
    to new: TokenCacheDocument,
    spending token: Secret,
    holding lock: TokenCacheLock
  ) async throws(AuthenticationError) -> AuthenticationError? {
    let change = Journal.Change(spent: token.digest, patch: old.root.mergePatch(to: new.root))
    let journal = lock.takeJournal()
    let isKept = journal?.write(change) == true
    do throws(AuthenticationError) {
      do throws(AuthenticationError) {
        try await apply(change, holding: lock)
      } catch {
        guard error.reason == .locked else { throw error }
        await lock.release()
        try await whileLocked { lock in try await apply(change, holding: lock) }
      }
    } catch {
      let isOnDisk = isKept && journal?.synchronize() == true
      journal?.close()
      guard isOnDisk else { throw error }
      return error
    }
    journal?.remove()
    return nil
  }

  private func apply(_ change: Journal.Change, holding lock: TokenCacheLock) async throws(AuthenticationError) {
    var document = try await load()
    document.apply(change)
    try await save(document, holding: lock)
  }
}

/// Reads a file that only this user can read; `nil` if it doesn't exist.
func readSecretFile(at path: String, limit: Int) throws(AuthenticationError) -> [UInt8]? {
  do throws(FileError) {
    return try readFile(at: path, limit: limit, requiring: .secret).bytes
  } catch {
    if error.reason == .missing { return nil }
    throw AuthenticationError(error, otherwise: .notReadable)
  }
}

/// Creates the directory of a file.
func createDirectory(of path: String) throws(AuthenticationError) {
  do throws(FileError) {
    try PrivateDirectory(of: path).create()
  } catch {
    throw AuthenticationError(error, otherwise: .notWritable)
  }
}
