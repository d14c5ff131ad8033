import Glibc
import MSAuthUnix
import Synchronization

/// How long a lock file has been unchanged; its time stamp doesn't show it, since clocks are set and machines sleep.
final class LockWatch: Sendable {
  /// Shared, since a refresh takes the lock in many short attempts, each of which is shorter than the graces.
  static let shared = LockWatch()

  /// Each file's state, which a write or a replacement changes, and when that state was first seen.
  private let seen = Mutex<[String: (state: FileState, since: SuspendingClock.Instant)]>([:])

  func age(of path: String, _ status: stat, now: SuspendingClock.Instant) -> Duration {
    let state = FileState(status)
    return seen.withLock { seen in
      if let before = seen[path], before.state == state { return before.since.duration(to: now) }
      seen[path] = (state, now)
      return .zero
    }
  }

  /// Forgets a lock file that was removed.
  func forget(_ path: String) { seen.withLock { $0[path] = nil } }
}
