import FoundationEssentials
import Glibc

/// Colours of messages on a terminal; none where `NO_COLOR` is set, `TERM` is `dumb`, or nobody looks.
enum Style {
  /// Whether the messages are coloured (https://no-color.org).
  static let isOn: Bool = {
    guard ProcessInfo.processInfo.environment["NO_COLOR"]?.isEmpty ?? true else { return false }
    return Terminal.movesCursor
  }()

  /// The word before what went wrong.
  static func error(_ text: String) -> String { colored(text, "1;31") }

  /// The word before what to do next.
  static func hint(_ text: String) -> String { colored(text, "33") }

  /// A code that a person copies by hand.
  static func code(_ text: String) -> String { colored(text, "1") }

  private static func colored(_ text: String, _ code: String) -> String {
    isOn ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text
  }
}
