package import MSAuthCore
import MSAuthUnix
import Synchronization

/// A lock, held until it is released or its last reference is dropped.
package final class TokenCacheLock: Sendable {
  /// What it locks, so that one cache's lock can't authorize a write to another.
  private let path: String
  private let isValid: @Sendable () -> Bool
  private let held: Mutex<Held?>

  private struct Held: Sendable {
    var onRelease: [@Sendable () -> Void]
    var journal: Journal.File?

    func end() {
      journal?.remove()
      for release in onRelease.reversed() { release() }
    }
  }

  init(
    of path: String,
    isValid: @escaping @Sendable () -> Bool = { true },
    onRelease: @escaping @Sendable () -> Void
  ) {
    (self.path, self.isValid) = (path, isValid)
    held = Mutex(Held(onRelease: [onRelease]))
  }

  deinit { take()?.end() }

  package func release() async {
    guard let last = take() else { return }
    await BackgroundThread.run { _ in last.end() }
  }

  /// Runs work and releases the lock, also if the work fails.
  package func whileHeld<Value>(_ work: () async throws -> Value) async throws(AuthenticationError) -> Value {
    do {
      let value = try await work()
      await release()
      return value
    } catch {
      await release()
      throw AuthenticationError(wrapping: error)
    }
  }

  /// Adds something to release; what was added last is released first.
  func onRelease(_ release: @escaping @Sendable () -> Void) { held.withLock { $0?.onRelease.append(release) } }

  private func take() -> Held? { held.withLock { $0.take() } }

  /// Creates the journal for the next change; an unused one is removed with the lock.
  func begin(_ journal: Journal, reserving space: Int) throws(AuthenticationError) {
    takeJournal()?.remove()
    let file = try journal.create(reserving: space)
    let isKept = held.withLock { held in
      held?.journal = file
      return held != nil
    }
    if !isKept { file.remove() }
  }

  /// The journal, which the caller ends.
  func takeJournal() -> Journal.File? { held.withLock { $0?.journal.take() } }

  /// Whether this lock is held and locks that path.
  func holds(_ path: String) -> Bool { held.withLock { $0 != nil } && self.path == path && isValid() }

  /// Throws unless this lock is held and locks that path.
  func checkHolds(_ path: String) throws(AuthenticationError) {
    guard holds(path) else {
      let message = "the lock \(path.printable()) is no longer held, so nothing was written"
      throw AuthenticationError(store: .locked, message, hint: .tryAgain)
    }
  }
}
