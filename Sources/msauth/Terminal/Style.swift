import FoundationEssentials
import MSAuth
import MSAuthDesktop

/// Colors on a terminal.
enum Style {
  // https://no-color.org
  private static let isAllowed = ProcessInfo.processInfo.environment.nonEmpty("NO_COLOR") == nil
  static let colorsMessages = isAllowed && Terminal.movesCursor
  private static let colorsResults = isAllowed && Console.stdoutIsTerminal && Terminal.isCapable

  static let error = colored("error:", "1;31")
  static let hint = colored("hint:", "33")
  static let resultHint = colored("hint:", "33", if: colorsResults)

  static func status(_ status: CheckResult.Status) -> String {
    let color =
      switch status {
      case .ok: "32"
      case .warning: "33"
      case .failed: "1;31"
      case .skipped: "2"
      }
    return colored(status.rawValue, color, if: colorsResults)
  }

  static func code(_ text: String) -> String { colored(text, "1") }

  private static func colored(_ text: String, _ code: String, if isColored: Bool = colorsMessages) -> String {
    isColored ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text
  }
}
