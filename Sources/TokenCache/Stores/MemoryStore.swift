import Synchronization

/// A cache that is gone with the process.
package final class MemoryStore: TokenCacheStore {
  private struct State {
    var document = TokenCacheDocument()
    var isLocked = false
  }

  private let state = Mutex(State())

  package init() {}

  package var place: String { "memory" }

  package func load() throws(TokenCacheError) -> TokenCacheDocument {
    state.withLock { $0.document }
  }

  package func lock(within patience: Duration) async throws(TokenCacheError) -> TokenCacheLock {
    // Those who are waited for sleep when the machine does.
    let clock = SuspendingClock()
    let deadline = clock.now.advanced(by: patience)
    while true {
      let taken = state.withLock { state in
        guard !state.isLocked else { return false }
        state.isLocked = true
        return true
      }
      if taken { return TokenCacheLock(of: place) { [self] in state.withLock { $0.isLocked = false } } }
      guard clock.now < deadline, !Task.isCancelled else {
        throw TokenCacheError(.locked, "another task holds the token cache in memory")
      }
      try? await Task.sleep(for: .milliseconds(5))
    }
  }

  package func save(_ document: TokenCacheDocument, holding lock: TokenCacheLock) throws(TokenCacheError) {
    try lock.require(for: place)
    state.withLock { $0.document = document }
  }

  package func setAside(holding lock: TokenCacheLock) throws(TokenCacheError) -> String? {
    // A document in memory was never read, so it cannot be damaged.
    nil
  }
}
