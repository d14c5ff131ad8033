package import MSAuthCore
import MSAuthUnix
import Synchronization

/// A cache that ends with the process.
package final class MemoryStore: TokenCacheStore {
  private let document = Mutex(TokenCacheDocument())
  private let isLocked = Atomic<Bool>(false)

  package init() {}

  package var name: String { "memory" }

  package func load() async throws(AuthenticationError) -> TokenCacheDocument {
    document.withLock { $0 }
  }

  package var journal: Journal? { nil }

  package func acquire(within timeout: Duration) async throws(AuthenticationError) -> TokenCacheLock {
    let deadline = Deadline(in: timeout)
    while true {
      if !isLocked.exchange(true, ordering: .acquiring) {
        return TokenCacheLock(of: name) { [self] in isLocked.store(false, ordering: .releasing) }
      }
      if Task.isCancelled { throw .canceled }
      guard !deadline.hasPassed else {
        throw AuthenticationError(store: .locked, "another task holds the token cache in memory")
      }
      try? await Task.sleep(for: .milliseconds(5))
    }
  }

  package func checkSave(holding lock: TokenCacheLock) async throws(AuthenticationError) -> Int {
    try lock.checkHolds(name)
    return 0
  }

  package func save(_ document: TokenCacheDocument, holding lock: TokenCacheLock) async throws(AuthenticationError) {
    try lock.checkHolds(name)
    self.document.withLock { $0 = document }
  }

  package func setAside(holding lock: TokenCacheLock) async throws(AuthenticationError) -> String? {
    // A document in memory was never read, so it can't be damaged.
    nil
  }

  package func removeSetAside(holding lock: TokenCacheLock) async throws(AuthenticationError) {
    try lock.checkHolds(name)
  }
}
