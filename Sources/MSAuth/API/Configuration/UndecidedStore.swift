import Core
import Synchronization
import TokenCache

/// The keyring or the file, while neither has been used: who only reads writes nothing to find out which.
///
/// A look-up proves nothing of a write, which may wait for a prompt that nobody sees. Hence the keyring is chosen at the
/// first write, if it keeps a probe, else the file. What another process has chosen meanwhile is chosen here too.
package final class UndecidedStore: TokenCacheStore {
  private let keyring: SecretServiceStore
  private let file: FileStore
  private let choice = Mutex<(any TokenCacheStore)?>(nil)

  init(keyring: SecretServiceStore, file: FileStore) {
    self.keyring = keyring
    self.file = file
  }

  package var place: String { settled?.place ?? keyring.place }

  package func choose() async throws(Failure) -> String? { try await chosen().notice }

  package func load() async throws(Failure) -> TokenCacheDocument {
    if let store = await used() { return try await store.load() }
    do throws(Failure) {
      return try await keyring.load()
    } catch {
      guard error.isOfKeyring else { throw error }
      return try await file.load()
    }
  }

  package func lock(within timeout: Duration) async throws(Failure) -> TokenCacheLock {
    let deadline = ContinuousClock.now + timeout
    let store = try await chosen(within: timeout).store
    return try await store.lock(within: max(.zero, deadline - .now))
  }

  package func checkWritable(holding lock: TokenCacheLock) async throws(Failure) {
    try await chosen().store.checkWritable(holding: lock)
  }

  package func save(_ document: TokenCacheDocument, holding lock: TokenCacheLock) async throws(Failure) {
    try await chosen().store.save(document, holding: lock)
  }

  package func setAside(holding lock: TokenCacheLock) async throws(Failure) -> String? {
    try await chosen().store.setAside(holding: lock)
  }

  package func removeSetAside(holding lock: TokenCacheLock) async throws(Failure) {
    try await chosen().store.removeSetAside(holding: lock)
  }

  private var settled: (any TokenCacheStore)? { choice.withLock { $0 } }

  /// The store that was chosen, here or by another process.
  private func used() async -> (any TokenCacheStore)? {
    if let settled { return settled }
    let (hasFile, hasUsedKeyring) = await OpenedStore.used(keyring: keyring, file: file)
    return hasUsedKeyring ? settle(on: keyring) : hasFile ? settle(on: file) : nil
  }

  /// The store, chosen now at the latest; the notice is for who chose the file.
  private func chosen(within timeout: Duration = storeLockTimeout) async throws(Failure) -> (
    store: any TokenCacheStore, notice: String?
  ) {
    if let store = await used() { return (store, nil) }
    let lock = try await keyring.lock(within: timeout)
    // Another process may have had it before.
    if let store = await used() {
      await lock.release()
      return (store, nil)
    }
    do throws(Failure) {
      try await keyring.probe(holding: lock)
      await lock.release()
      return (settle(on: keyring), nil)
    } catch {
      await lock.release()
      guard error.isOfKeyring else { throw error }
      return (settle(on: file), OpenedStore.notice(of: file, because: error))
    }
  }

  /// Chooses once; the first choice stays.
  private func settle(on store: any TokenCacheStore) -> any TokenCacheStore {
    choice.withLock { choice in
      if let choice { return choice }
      choice = store
      return store
    }
  }
}

extension Failure {
  /// Whether there is no keyring, or it does not serve.
  fileprivate var isOfKeyring: Bool {
    [.keyringAbsent, .keyringLocked, .keyringMute, .keyringDismissed, .keyringFailed].contains(reason)
  }
}
