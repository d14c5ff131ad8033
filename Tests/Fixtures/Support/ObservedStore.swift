package import MSAuthCache
import Synchronization

/// A store that counts its uses, and that other programs can change.
package final class ObservedStore: TokenCacheStore {
  package typealias Change = @Sendable (inout TokenCacheDocument) -> Void

  package let base: any TokenCacheStore
  private let onLock: Change?
  private let onLoad: (number: Int, change: Change)?
  private let counts = Mutex((loads: 0, locks: 0))

  package init(
    _ base: any TokenCacheStore = MemoryStore(),
    onLock: Change? = nil,
    onLoad: (number: Int, change: Change)? = nil
  ) {
    (self.base, self.onLock, self.onLoad) = (base, onLock, onLoad)
  }

  package var loads: Int { counts.withLock { $0.loads } }
  package var locks: Int { counts.withLock { $0.locks } }
  package var name: String { base.name }

  package func load() async throws(AuthenticationError) -> TokenCacheDocument {
    let number = counts.withLock { counts in
      counts.loads += 1
      return counts.loads
    }
    if let onLoad, onLoad.number == number {
      let lock = try await base.lock(within: .zero)
      try await write(onLoad.change, holding: lock)
      await lock.release()
    }
    return try await base.load()
  }

  package var journal: Journal? { base.journal }

  package func acquire(within timeout: Duration) async throws(AuthenticationError) -> TokenCacheLock {
    counts.withLock { $0.locks += 1 }
    let lock = try await base.lock(within: timeout)
    if let onLock { try await write(onLock, holding: lock) }
    return lock
  }

  private func write(_ change: Change, holding lock: TokenCacheLock) async throws(AuthenticationError) {
    var document = try await base.load()
    change(&document)
    try await base.save(document, holding: lock)
  }

  package func checkSave(holding lock: TokenCacheLock) async throws(AuthenticationError) -> Int {
    try await base.checkSave(holding: lock)
  }

  package func save(_ document: TokenCacheDocument, holding lock: TokenCacheLock) async throws(AuthenticationError) {
    try await base.save(document, holding: lock)
  }

  package func setAside(holding lock: TokenCacheLock) async throws(AuthenticationError) -> String? {
    try await base.setAside(holding: lock)
  }

  package func removeSetAside(holding lock: TokenCacheLock) async throws(AuthenticationError) {
    try await base.removeSetAside(holding: lock)
  }
}
