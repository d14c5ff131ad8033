import MSAuth
import Synchronization

/// Shows on a terminal how far the sign-out of several accounts is.
enum SignOutProgress {
  private static let state = Mutex((reported: 0, total: 0))

  /// Adds the accounts of one store.
  static func begin(_ count: Int) {
    state.withLock { $0.total += count }
    guard Terminal.movesCursor, !Console.isQuiet else { return }
    StatusLine.begin { _ in
      let (reported, total) = state.withLock { $0 }
      return "msauth: signing out, \(reported) of \(total) accounts done; Ctrl-C cancels"
    }
  }

  static func reported() { state.withLock { $0.reported += 1 } }
}
