import Synchronization

/// A clock that a test moves: the machine's time, or a fixed one, and what the test adds.
package final class TestClock: WallClock {
  private let start: UnixTime?
  private let offset: Mutex<Int64>

  /// - Parameters:
  ///   - start: Where it stands still; nil follows the machine's clock.
  ///   - offset: Seconds ahead of that.
  package init(at start: UnixTime? = nil, ahead offset: Int64 = 0) {
    self.start = start
    self.offset = Mutex(offset)
  }

  package func now() -> UnixTime {
    (start ?? UnixTime(Date().timeIntervalSince1970.rounded(.down))) + offset.withLock { $0 }
  }

  package func advance(by seconds: Int64) { offset.withLock { $0 += seconds } }
}
