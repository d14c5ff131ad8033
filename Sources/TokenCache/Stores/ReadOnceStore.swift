package import Core
import Synchronization

/// A store for one look at it: what was read serves until somebody wants to write.
///
/// To find an account and then its token is one question, which should have one answer, and a cache of thousands of
/// accounts takes longer to read than all else. Once a lock has been asked for, every read is a read again: others may
/// have written meanwhile.
package final class ReadOnceStore: TokenCacheStore {
  private enum State {
    case unread
    case read(TokenCacheDocument)
    case locked
  }

  private let base: any TokenCacheStore
  private let state = Mutex(State.unread)

  package init(_ base: any TokenCacheStore) {
    self.base = base
  }

  package var place: String { base.place }

  package func choose() async throws(Failure) -> String? { try await base.choose() }

  package func load() async throws(Failure) -> TokenCacheDocument {
    if case .read(let document) = state.withLock({ $0 }) { return document }
    let document = try await base.load()
    state.withLock { state in
      if case .unread = state { state = .read(document) }
    }
    return document
  }

  package func lock(within timeout: Duration) async throws(Failure) -> TokenCacheLock {
    state.withLock { $0 = .locked }
    return try await base.lock(within: timeout)
  }

  package func checkWritable(holding lock: TokenCacheLock) async throws(Failure) {
    try await base.checkWritable(holding: lock)
  }

  package func save(_ document: TokenCacheDocument, holding lock: TokenCacheLock) async throws(Failure) {
    try await base.save(document, holding: lock)
  }

  package func setAside(holding lock: TokenCacheLock) async throws(Failure) -> String? {
    try await base.setAside(holding: lock)
  }

  package func removeSetAside(holding lock: TokenCacheLock) async throws(Failure) {
    try await base.removeSetAside(holding: lock)
  }
}
