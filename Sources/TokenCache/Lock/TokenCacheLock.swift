import Core
import Synchronization

/// A lock that is held until it is released, at the latest when nobody refers to it any more.
package final class TokenCacheLock: Sendable {
  /// What it locks, so that the lock of one cache is not taken for another's.
  private let place: String
  private let stands: @Sendable () -> Bool
  private let onRelease: Mutex<(@Sendable () -> Void)?>

  /// - Parameters:
  ///   - place: What it locks.
  ///   - stands: Whether the lock is still what others see; asked before each write.
  ///   - onRelease: Lets others have it.
  init(
    of place: String,
    stands: @escaping @Sendable () -> Bool = { true },
    onRelease: @escaping @Sendable () -> Void
  ) {
    self.place = place
    self.stands = stands
    self.onRelease = Mutex(onRelease)
  }

  deinit { release() }

  /// Lets others have it.
  package func release() {
    let body = onRelease.withLock { held in
      defer { held = nil }
      return held
    }
    body?()
  }

  /// Makes sure that a write to the place is covered.
  ///
  /// - Throws: ``TokenCacheError`` of kind `locked` when the lock was released, is another's, or was taken away.
  func require(for place: String) throws(TokenCacheError) {
    let isHeld = onRelease.withLock { $0 != nil }
    guard isHeld, self.place == place, stands() else {
      throw TokenCacheError(
        .locked,
        "the lock \(place.printable()) is not held any more, so nothing was written",
        remedy: .tryAgain
      )
    }
  }
}
