import Glibc

/// What the person reads.
enum Screen {
  /// A sign-in address is longer than any other line; where nobody is to click it, so much of it is enough.
  static let longestLine = 110

  static func line(_ text: String = "") {
    print(text)
    // The lines of msauth and of the tour must keep their order in a pipe too.
    fflush(nil)
  }

  /// A heading.
  static func heading(_ text: String) { line(isColoured ? "\u{1B}[1m\(text)\u{1B}[0m" : text) }

  /// A line that msauth wrote.
  static func quote(_ text: String, whole: Bool = false) {
    let shown = whole || text.count <= longestLine ? text : text.prefix(longestLine) + "…"
    line("    " + shown)
  }

  /// A remark about what was just seen.
  static func remark(_ text: String) { line("  → " + text) }

  /// A token, so that it can be recognised and not used.
  static func shortened(_ token: String) -> String { "\(token.prefix(12))… (\(token.count) characters)" }

  private static let isColoured = isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR") == nil
}
