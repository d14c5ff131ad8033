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

  /// Reads, changes and writes the document under the lock, with the change that a process left in the journal: a
  /// sign-out must find its tokens too.
  ///
  /// The body runs again if the lock is lost before the document is written.
  package func change<Value>(_ body: (inout TokenCacheDocument) throws -> Value) async throws(AuthenticationError)
    -> Value
  {
    try await whileLocked { lock in
      var document = try await load()
      let pending = try? await pendingChange()
      if let pending { document.apply(pending) }
      let value = try body(&document)
      try await withCancellationShield(grace: writeTimeout) { [document] in
        try await save(document, holding: lock)
        if pending != nil { journal?.remove() }
      }
      return value
    }
  }
}

/// How long a write may still take after cancellation.
private let writeTimeout: Duration = .seconds(5)
