import Glibc
import Synchronization

/// What the terminal can do.
enum Terminal {
  /// Whether the messages go to a terminal that can move its cursor.
  static var movesCursor: Bool { Console.isTerminal && isCapable }

  /// Whether the terminal understands more than text.
  static var isCapable: Bool {
    guard let type = getenv("TERM").map({ String(cString: $0) }) else { return false }
    return !type.isEmpty && type != "dumb"
  }

  /// How wide the terminal is; 80 where it does not say.
  static var columns: Int {
    var size = winsize()
    return ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
  }

  /// How the terminal was before its input was hidden, and when it is to be so again.
  private static let shown = Mutex<(modes: termios, action: Int32)?>(nil)

  /// Stops showing what is typed, until ``restoreInput()`` or the end of the process.
  static func hideInput(gathersLines: Bool = true) -> Bool {
    var modes = termios()
    guard tcgetattr(STDIN_FILENO, &modes) == 0 else { return false }
    let action = gathersLines ? TCSAFLUSH : TCSANOW
    shown.withLock { $0 = (modes, action) }
    modes.c_lflag &= ~tcflag_t(gathersLines ? ECHO : ECHO | ICANON)
    return tcsetattr(STDIN_FILENO, action, &modes) == 0
  }

  /// Shows again what is typed.
  static func restoreInput() {
    shown.withLock { before in
      if var modes = before?.modes, let action = before?.action { tcsetattr(STDIN_FILENO, action, &modes) }
      before = nil
    }
  }
}
