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

  /// How the terminal was before its input was hidden.
  private static let shown = Mutex<termios?>(nil)

  /// Stops showing what is typed, until ``restoreInput()`` or the end of the process.
  static func hideInput() {
    var settings = termios()
    guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return }
    shown.withLock { $0 = settings }
    settings.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
  }

  /// Shows again what is typed.
  static func restoreInput() {
    guard var settings = shown.withLock({ $0.take() }) else { return }
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
  }
}
