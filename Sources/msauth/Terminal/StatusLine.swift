import Glibc
import MSAuthCore
import MSAuthUnix
import Synchronization

/// The last line of a terminal, redrawn while a command waits.
enum StatusLine {
  private struct State {
    var text: String?
    var wait = 0
  }

  private static let state = Mutex(State())

  static func begin(_ line: @escaping @Sendable (_ elapsed: Duration) -> String) {
    let wait = state.withLock { state in
      state.wait += 1
      return state.wait
    }
    let start = ContinuousClock.now
    Task {
      while update(line(start.duration(to: .now)), of: wait) { try? await Task.sleep(for: .seconds(1)) }
    }
  }

  static func end() {
    state.withLock { state in
      if state.text != nil { erase() }
      state.text = nil
      state.wait += 1
    }
  }

  static func above(_ write: () -> Void) {
    state.withLock { state in
      if state.text != nil { erase() }
      write()
      if let text = state.text { draw(text) }
    }
  }

  private static func update(_ text: String, of wait: Int) -> Bool {
    state.withLock { state in
      guard state.wait == wait else { return false }
      if state.text != nil { erase() }
      state.text = text
      draw(text)
      return true
    }
  }

  private static func erase() {
    // ECMA-48 EL
    _ = writeAll(Array("\r\u{1b}[K".utf8), to: STDERR_FILENO)
  }

  private static func draw(_ text: String) {
    // Some terminals begin a new line after a full one.
    _ = writeAll(Array(text.prefix(Terminal.columns - 1).utf8), to: STDERR_FILENO)
  }
}

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
