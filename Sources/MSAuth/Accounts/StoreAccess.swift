import Core
import TokenCache

/// What waiting for the lock gave.
enum LockOrAnswer<Answer> {
  /// The lock, held.
  case locked(TokenCacheLock)
  /// Another process has done the work.
  case needless(Answer)
}

extension TokenCacheStore {
  /// How long to wait for another process that is writing or refreshing.
  ///
  /// Its token request may take 30 s, and be sent once more; so a little more than both.
  private static var patience: Duration { .seconds(75) }
  /// How often to look whether the lock's owner has written what we want.
  private static var pollInterval: Duration { .milliseconds(100) }

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

  /// Takes the cross-process lock, unless what another process writes meanwhile makes that needless.
  ///
  /// - Parameter answer: What is wanted, if the document has it by now.
  /// - Returns: The lock, or the answer.
  /// - Throws: ``AuthenticationError`` when nobody let go of the lock in time, and what `answer` throws.
  func locked<Answer>(unless answer: (TokenCacheDocument) throws -> Answer?) async throws -> LockOrAnswer<Answer> {
    // Those who are waited for sleep when the machine does.
    let clock = SuspendingClock()
    let deadline = clock.now.advanced(by: Self.patience)
    while true {
      do throws(TokenCacheError) {
        return .locked(try await lock(within: Self.pollInterval))
      } catch {
        try Task.checkCancellation()
        guard error.kind == .locked, clock.now < deadline else { throw AuthenticationError(error) }
      }
      if let found = try answer(try read()) { return .needless(found) }
    }
  }

  /// Makes sure that the document can be written under the lock.
  func checkWritable(_ lock: TokenCacheLock) throws {
    do {
      try checkWritable(holding: lock)
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
