import FoundationEssentials
import Glibc
import MSAuth
import Synchronization

enum Terminal {
  /// Whether stderr is a terminal that can move its cursor.
  static var movesCursor: Bool { Console.isTerminal && isCapable }

  static let isCapable = !["", "dumb"].contains(ProcessInfo.processInfo.environment["TERM"] ?? "")

  static var columns: Int { knownColumns ?? 80 }

  /// `nil` if stderr isn't a terminal, or its width is unknown.
  static var knownColumns: Int? {
    var size = winsize()
    return ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : nil
  }

  /// Breaks lines at spaces; a line feed in the text becomes a space at which no line is broken.
  static func wrapped(_ text: String, at columns: Int, indentation: Int, isFirstIndented: Bool = true) -> String {
    var lines: [[Substring]] = [[]]
    var width = isFirstIndented ? indentation : 0
    for word in text.split(separator: " ", omittingEmptySubsequences: isFirstIndented) {
      let count = word.replacing(/\u{1b}\[[0-9;]*m/, with: "").count
      if width + count >= columns, lines.last?.isEmpty == false { (lines, width) = (lines + [[]], indentation) }
      lines[lines.count - 1].append(word)
      width += count + 1
    }
    let margin = String(repeating: " ", count: indentation)
    let joined = lines.map { margin + $0.joined(separator: " ").replacing("\n", with: " ") }.joined(separator: "\n")
    return isFirstIndented ? joined : String(joined.dropFirst(indentation))
  }

  /// The terminal's state before its input was hidden.
  private static let shown = Mutex<(modes: termios, action: Int32)?>(nil)

  static func hideInput(gathersLines: Bool = true) -> Bool {
    var modes = termios()
    guard tcgetattr(STDIN_FILENO, &modes) == 0 else { return false }
    let action = gathersLines ? TCSAFLUSH : TCSANOW
    shown.withLock { $0 = (modes, action) }
    modes.c_lflag &= ~tcflag_t(gathersLines ? ECHO : ECHO | ICANON)
    return tcsetattr(STDIN_FILENO, action, &modes) == 0
  }

  static func restoreInput() {
    shown.withLock { state in
      if case (var modes, let action)? = state.take() { tcsetattr(STDIN_FILENO, action, &modes) }
    }
  }
}

/// Colors on a terminal.
enum Style {
  // https://no-color.org
  private static let isWanted = ProcessInfo.processInfo.environment["NO_COLOR"]?.isEmpty ?? true
  static let isOn = isWanted && Terminal.movesCursor
  private static let colorsResult = isWanted && Console.resultIsTerminal && Terminal.isCapable

  static let error = colored("error:", "1;31")
  static let hint = colored("hint:", "33")
  static let resultHint = colored("hint:", "33", if: colorsResult)

  static func status(_ status: CheckResult.Status) -> String {
    let color =
      switch status {
      case .ok: "32"
      case .warning: "33"
      case .failed: "1;31"
      case .skipped: "2"
      }
    return colored(status.rawValue, color, if: colorsResult)
  }

  static func code(_ text: String) -> String { colored(text, "1") }

  private static func colored(_ text: String, _ code: String, if isOn: Bool = isOn) -> String {
    isOn ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text
  }
}

/// The last line of a terminal, redrawn while a command waits.
enum StatusLine {
  private struct State {
    var text: String?
    var redrawing: Task<Void, Never>?

    /// Replaces the line, below text that stays.
    mutating func draw(_ line: String?, below output: String = "") {
      // ECMA-48 EL
      if text != nil { Console.write("\r\u{1b}[K") }
      Console.write(output)
      // Some terminals begin a new line after a full one.
      if let line { Console.write(String(line.prefix(Terminal.columns - 1))) }
      text = line
    }
  }

  private static let state = Mutex(State())
  static let isOn = Atomic(true)

  static func begin(_ line: @escaping @Sendable (_ elapsed: Duration) -> String) {
    guard Terminal.movesCursor, !Console.isQuiet, isOn.load(ordering: .relaxed) else { return }
    let start = ContinuousClock.now
    state.withLock { state in
      state.redrawing?.cancel()
      state.redrawing = Task {
        while !Task.isCancelled {
          let text = line(start.duration(to: .now))
          Self.state.withLock { if !Task.isCancelled { $0.draw(text) } }
          try? await Task.sleep(for: .seconds(1))
        }
      }
    }
  }

  static func end() {
    state.withLock { state in
      state.draw(nil)
      state.redrawing?.cancel()
    }
  }

  static func above(_ text: String) { state.withLock { $0.draw($0.text, below: text) } }
}
