import Core
import Glibc
import Synchronization

/// The last line of a terminal, drawn again and again while a command waits.
///
/// It is there on a terminal that can move its cursor, never longer than one line, and gone when the wait is over.
enum StatusLine {
  private struct State {
    var text: String?
    var wait = 0
  }

  private static let state = Mutex(State())

  /// Begins a line; an earlier one ends.
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

  /// Ends the line, and takes it off the screen.
  static func end() {
    state.withLock { state in
      if state.text != nil { erase() }
      state.text = nil
      state.wait += 1
    }
  }

  /// Writes above the line.
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
    // To the beginning of the line, and everything behind it away (ECMA-48 EL).
    _ = Console.write(Array("\r\u{1b}[K".utf8), to: STDERR_FILENO)
  }

  private static func draw(_ text: String) {
    // A full line would make some terminals begin the next one.
    _ = Console.write(Array(text.prefix(Terminal.columns - 1).utf8), to: STDERR_FILENO)
  }
}
