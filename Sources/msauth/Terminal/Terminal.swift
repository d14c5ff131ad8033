import FoundationEssentials
import Glibc
import MSAuth
import Synchronization

enum Terminal {
  /// Whether stderr is a terminal that can move its cursor.
  static var movesCursor: Bool { Console.stderrIsTerminal && isCapable }

  static let isCapable = !["", "dumb"].contains(ProcessInfo.processInfo.environment["TERM"] ?? "")

  static var columns: Int { stderrColumns ?? 80 }

  /// `nil` if stderr isn't a terminal, or its width is unknown.
  static var stderrColumns: Int? { columns(of: STDERR_FILENO) }

  /// `nil` if stdout isn't a terminal, or its width is unknown.
  static var stdoutColumns: Int? { columns(of: STDOUT_FILENO) }

  private static func columns(of descriptor: Int32) -> Int? {
    var size = winsize()
    return ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : nil
  }

  /// A space at which lines aren't wrapped: a line feed, which no message contains.
  static let unbreakableSpace = "\n"

  /// Breaks lines at spaces; unbreakable spaces become spaces.
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
    let texts = lines.map { $0.joined(separator: " ").replacing(unbreakableSpace, with: " ") }
    let joined = texts.map { margin + $0 }.joined(separator: "\n")
    return isFirstIndented ? joined : String(joined.dropFirst(indentation))
  }

  /// The terminal's modes before its input was hidden, and how to restore them.
  private static let saved = Mutex<(modes: termios, action: Int32)?>(nil)

  /// Stops showing what is typed; returns whether standard input is a terminal.
  static func hideInput(isCanonical: Bool = true) -> Bool {
    var modes = termios()
    guard tcgetattr(STDIN_FILENO, &modes) == 0 else { return false }
    let action = isCanonical ? TCSAFLUSH : TCSANOW
    saved.withLock { $0 = (modes, action) }
    modes.c_lflag &= ~tcflag_t(isCanonical ? ECHO : ECHO | ICANON)
    return tcsetattr(STDIN_FILENO, action, &modes) == 0
  }

  static func restoreInput() {
    saved.withLock { state in
      if case (var modes, let action)? = state.take() { tcsetattr(STDIN_FILENO, action, &modes) }
    }
  }
}

extension String {
  /// The text with unbreakable spaces.
  var unbroken: String { replacing(" ", with: Terminal.unbreakableSpace) }
}
