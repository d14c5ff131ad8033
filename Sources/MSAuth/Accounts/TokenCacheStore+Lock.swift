/// Takes a lock; if another process holds it, calls `onHeld` with a message that names it, and returns `nil`.
func unlessHeld(
  _ acquire: () async throws(AuthenticationError) -> TokenCacheLock,
  onHeld: (String) -> Void = { _ in }
) async throws(AuthenticationError) -> TokenCacheLock? {
  do throws(AuthenticationError) {
    return try await acquire()
  } catch {
    try AuthenticationError.checkCancellation()
    guard error.reason == .locked else { throw error }
    onHeld(error.message)
    return nil
  }
}

extension TokenCacheStore {
  /// Removes the damaged caches that were set aside.
  func removeSetAside() async throws(AuthenticationError) {
    try await whileLocked { lock in try await removeSetAside(holding: lock) }
  }

  /// Reads, changes and writes the document under the lock.
  package func change<Value>(_ body: (inout TokenCacheDocument) throws -> Value) async throws(AuthenticationError)
    -> Value
  {
    try await whileLocked { lock in
      var document = try await load()
      let value = try body(&document)
      try await save(document, holding: lock)
      return value
    }
  }
}
