import MSAuth
import MSAuthPreferences
import Synchronization

/// The last line of a terminal, redrawn while a command waits.
enum StatusLine {
  private struct State {
    var text: String?
    var redrawing: Task<Void, Never>?

    /// Replaces the line, after writing text above it that stays.
    mutating func draw(_ line: String?, below output: String = "") {
      // Erases the line (ECMA-48 EL).
      if text != nil { Console.write("\r\u{1b}[K") }
      Console.write(output)
      // Some terminals begin a new line after a full one.
      if let line { Console.write(String(line.prefix(Terminal.columns - 1))) }
      text = line
    }
  }

  private static let state = Mutex(State())

  /// Whether the line may be rewritten each second; a screen reader reads each one aloud.
  static let showsCountdown = (try? Invocation.settings?.setting(named: "countdown"))?.value?.bool ?? true

  /// Redraws the line until ``end()``; writes the output above it once that is ready.
  static func begin(
    below output: @escaping @Sendable () async -> String? = { nil },
    _ line: @escaping @Sendable (_ elapsed: Duration) -> String
  ) {
    let start = ContinuousClock.now
    state.withLock { state in
      state.redrawing?.cancel()
      state.redrawing = Task {
        if let output = await output() {
          Self.state.withLock { if !Task.isCancelled { $0.draw($0.text, below: output) } }
        }
        guard Terminal.movesCursor, !Console.isQuiet, showsCountdown else { return }
        while !Task.isCancelled {
          let text = line(start.duration(to: .now))
          Self.state.withLock { if !Task.isCancelled { $0.draw(text) } }
          try? await Task.sleep(for: .seconds(1))
        }
      }
    }
  }

  /// Until ``end()``, draws the time left, and hints after a while; if the cursor can't move, prints the limit once.
  static func countDown(
    _ timeout: Duration,
    waiting what: String,
    hint: @escaping @Sendable () -> Hint? = { nil },
    below output: @escaping @Sendable () async -> String? = { nil }
  ) {
    guard Console.stderrIsTerminal else { return }
    if !Terminal.movesCursor || !showsCountdown {
      Console.notice("waiting up to \(timeout.words) \(what); Ctrl-C cancels")
    }
    let hintTime = min(.seconds(20), timeout / 3)
    begin(below: output) { elapsed in
      let left = max(timeout - elapsed, .zero).secondsRoundedUp
      let seconds = left % 60
      if elapsed >= hintTime, let hint = hint() { Console.hint(hint) }
      return "msauth: waiting \(what), \(left / 60):\(seconds < 10 ? "0" : "")\(seconds) left; Ctrl-C cancels"
    }
  }

  static func end() {
    state.withLock { state in
      state.draw(nil)
      state.redrawing?.cancel()
    }
  }

  static func writeAbove(_ text: String) { state.withLock { $0.draw($0.text, below: text) } }
}
