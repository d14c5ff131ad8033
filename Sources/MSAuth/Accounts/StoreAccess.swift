import Primitives
import TokenCache

extension TokenCacheStore {
  /// How long to wait for another process that is writing or refreshing.
  ///
  /// Its own network request may take 30 s, so a little more than that.
  private static var patience: Duration { .seconds(45) }

  /// Reads the document, and tells a failure in this library's words.
  func read() throws -> TokenCacheDocument {
    do {
      return try load()
    } catch {
      throw AuthenticationError(error)
    }
  }

  /// Takes the cross-process lock.
  func locked() async throws -> TokenCacheLock {
    do {
      return try await lock(within: Self.patience)
    } catch {
      throw AuthenticationError(error)
    }
  }

  /// Writes the document under the lock.
  func write(_ document: TokenCacheDocument, holding lock: TokenCacheLock) throws {
    do {
      try save(document, holding: lock)
    } catch {
      throw AuthenticationError(error)
    }
  }

  /// Reads, changes and writes the document under the lock.
  func change<Value>(_ body: (inout TokenCacheDocument) throws -> Value) async throws -> Value {
    let lock = try await locked()
    defer { lock.release() }
    var document = try read()
    let value = try body(&document)
    try write(document, holding: lock)
    return value
  }
}
