import Synchronization
package import Testing

/// A clock that a test moves, based on the system time or a fixed time.
package final class TestClock: WallClock {
  private let start: UnixTime?
  private let offset: Mutex<Int64>

  package init(at start: UnixTime? = nil, ahead offset: Int64 = 0) {
    self.start = start
    self.offset = Mutex(offset)
  }

  package func now() -> UnixTime {
    (start ?? UnixTime(Date().timeIntervalSince1970.rounded(.down))) + offset.withLock { $0 }
  }

  package func advance(by seconds: Int64) { offset.withLock { $0 += seconds } }
}

/// A reproducible random number generator: SplitMix64 (Steele, Lea and Flood, 2014).
package struct SeededRandom: RandomNumberGenerator {
  package static let seed: UInt64 =
    ProcessInfo.processInfo.environment["MSAUTH_TEST_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...UInt64.max)

  /// For failed expectations.
  package static var comment: Comment { "repeat it with MSAUTH_TEST_SEED=\(seed)" }

  private var state = Self.seed

  package init() {}

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
