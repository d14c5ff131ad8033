/// How long to wait for another process: its token request may take 30 s and be repeated.
let storeLockTimeout: Duration = .seconds(75)

extension TokenCacheStore {
  /// Takes the cross-process lock.
  func locked() async throws -> TokenCacheLock { try await lock(within: storeLockTimeout) }

  /// Takes the cross-process lock; nil if another process holds it for so long and it is not required.
  func lock(within timeout: Duration, isRequired: Bool) async throws -> TokenCacheLock? {
    do throws(Failure) {
      return try await lock(within: timeout)
    } catch {
      try Task.checkCancellation()
      guard error.reason == .locked, !isRequired else { throw error }
      return nil
    }
  }

  /// Removes the caches that were set aside as damaged, with the tokens in them.
  func removeSetAside() async throws {
    let lock = try await locked()
    try await lock.whileHeld { try await removeSetAside(holding: lock) }
  }

  /// Reads, changes and writes the document under the lock.
  func change<Value>(_ body: (inout TokenCacheDocument) throws -> Value) async throws -> Value {
    let lock = try await locked()
    return try await lock.whileHeld {
      var document = try await load()
      let value = try body(&document)
      try await save(document, holding: lock)
      return value
    }
  }
}
