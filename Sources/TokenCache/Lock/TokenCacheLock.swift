import Synchronization

/// A lock that is held until it is released, at the latest when nobody refers to it any more.
package final class TokenCacheLock: Sendable {
  private let onRelease: Mutex<(@Sendable () -> Void)?>

  init(onRelease: @escaping @Sendable () -> Void) {
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
}
