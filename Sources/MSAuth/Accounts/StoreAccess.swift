import Core
import TokenCache

/// How long to wait for another process that is writing or refreshing.
///
/// Its token request may take 30 s, and be sent once more; so a little more than both.
let storeLockTimeout: Duration = .seconds(75)

extension TokenCacheStore {
  /// Reads the document, and throws a failure as an ``AuthenticationError``.
  func read() async throws -> TokenCacheDocument {
    do {
      return try await load()
    } catch {
      throw AuthenticationError(error)
    }
  }

  /// Takes the cross-process lock.
  func locked() async throws -> TokenCacheLock {
    do {
      return try await lock(within: storeLockTimeout)
    } catch {
      throw AuthenticationError(error)
    }
  }

  /// Takes the cross-process lock, or gives up.
  ///
  /// - Parameters:
  ///   - timeout: How long to wait for another process that holds it.
  ///   - isRequired: Whether the lock must be had by then.
  /// - Returns: The lock; nil if another process holds it and it is not required.
  /// - Throws: ``AuthenticationError``, also if a required lock was not had in time.
  func lock(within timeout: Duration, isRequired: Bool) async throws -> TokenCacheLock? {
    do throws(TokenCacheError) {
      return try await lock(within: timeout)
    } catch {
      try Task.checkCancellation()
      guard error.kind == .locked, !isRequired else { throw AuthenticationError(error) }
      return nil
    }
  }

  /// Makes sure that the document can be written under the lock.
  func checkWritable(_ lock: TokenCacheLock) async throws {
    do {
      try await checkWritable(holding: lock)
    } catch {
      throw AuthenticationError(error)
    }
  }

  /// Removes the caches that were set aside as damaged, with the tokens in them.
  func removeSetAside() async throws {
    let lock = try await locked()
    try await lock.whileHeld {
      do throws(TokenCacheError) {
        try await removeSetAside(holding: lock)
      } catch {
        throw AuthenticationError(error)
      }
    }
  }

  /// Writes the document under the lock.
  func write(_ document: TokenCacheDocument, holding lock: TokenCacheLock) async throws {
    do {
      try await save(document, holding: lock)
    } catch {
      throw AuthenticationError(error)
    }
  }

  /// Reads, changes and writes the document under the lock.
  func change<Value>(_ body: (inout TokenCacheDocument) throws -> Value) async throws -> Value {
    let lock = try await locked()
    return try await lock.whileHeld {
      var document = try await read()
      let value = try body(&document)
      try await write(document, holding: lock)
      return value
    }
  }
}
