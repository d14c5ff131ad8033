import MSAuth
import Synchronization

/// How far a sign-out of several accounts is: shown on a terminal, and told when it is interrupted.
enum SignOutProgress {
  private struct State {
    var isUnderWay = false
    /// Those of which it is not known yet whether the store was written.
    var pending = 0
    var removed = 0
    var reported = 0
    /// Those of them without a problem.
    var finished = 0

    var total: Int { pending + removed }
  }

  private static let state = Mutex(State())

  /// Begins, before it is known how many accounts there are.
  static func begin() { state.withLock { $0.isUnderWay = true } }

  /// Begins with the accounts of one store.
  static func begin(_ count: Int) {
    state.withLock { $0.pending += count }
    guard Terminal.movesCursor, !Console.isQuiet else { return }
    StatusLine.begin { _ in
      let state = state.withLock { $0 }
      return "msauth: signing out, \(state.reported) of \(state.total) accounts done; Ctrl-C cancels"
    }
  }

  /// The tokens of the accounts that were begun with last are gone here.
  @Sendable static func removed() {
    state.withLock { state in
      state.removed += state.pending
      state.pending = 0
    }
  }

  /// All was tried that can be done about an account.
  static func reported(_ report: SignOutReport) {
    state.withLock { state in
      state.reported += 1
      if report.problems.isEmpty { state.finished += 1 }
    }
  }

  /// What an interruption left; nil when no such sign-out was under way.
  static var interruption: String? {
    let state = state.withLock { $0 }
    guard state.total > 0 else { return state.isUnderWay ? "no account was signed out" : nil }
    let removed = "\(state.removed) of \(state.total) accounts were signed out here"
    return state.removed == 0 ? removed : "\(removed), and \(state.finished) at the provider as far as it offers that"
  }
}
