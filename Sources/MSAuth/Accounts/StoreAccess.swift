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
  private static var lockTimeout: Duration { .seconds(75) }
  /// How often to look whether the lock's owner has written what we want.
  private static var pollInterval: Duration { .milliseconds(100) }

  /// Reads the document, and tells a failure in this library's words.
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
      return try await lock(within: Self.lockTimeout)
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
    // A suspending clock: those who are waited for sleep when the machine does.
    let clock = SuspendingClock()
    let deadline = clock.now.advanced(by: Self.lockTimeout)
    while true {
      do throws(TokenCacheError) {
        return .locked(try await lock(within: Self.pollInterval))
      } catch {
        try Task.checkCancellation()
        guard error.kind == .locked, clock.now < deadline else { throw AuthenticationError(error) }
      }
      if let found = try answer(try await read()) { return .needless(found) }
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
    defer { lock.release() }
    var document = try await read()
    let value = try body(&document)
    try await write(document, holding: lock)
    return value
  }
}
