import FoundationEssentials
import Glibc
import MSAuth

/// Colours of messages on a terminal; none where `NO_COLOR` is set, `TERM` is `dumb`, or nobody looks.
enum Style {
  /// Where a text goes.
  enum Output {
    case messages, result
  }

  /// Whether colours are wanted on a terminal (https://no-color.org).
  private static let isWanted = ProcessInfo.processInfo.environment["NO_COLOR"]?.isEmpty ?? true
  /// Whether the messages are coloured.
  static let isOn = isWanted && Terminal.movesCursor
  private static let colorsResult = isWanted && Console.resultIsTerminal && Terminal.isCapable

  /// The word before what went wrong.
  static func error(_ text: String) -> String { colored(text, "1;31") }

  /// The word before what to do next.
  static func hint(_ text: String, on output: Output = .messages) -> String { colored(text, "33", on: output) }

  /// The status of a check.
  static func status(_ status: CheckResult.Status) -> String {
    let color =
      switch status {
      case .ok: "32"
      case .warning: "33"
      case .failed: "1;31"
      case .skipped: "2"
      }
    return colored(status.rawValue, color, on: .result)
  }

  /// A code that a person copies by hand.
  static func code(_ text: String) -> String { colored(text, "1") }

  private static func colored(_ text: String, _ code: String, on output: Output = .messages) -> String {
    (output == .result ? colorsResult : isOn) ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text
  }
}
