import ArgumentParser
import MSAuth
import MSAuthPreferences

/// A duration in seconds or another unit, such as `90`, `0.5`, `5m`, `8h` or `1d`.
struct DurationArgument: ExpressibleByArgument {
  /// NaN if the argument is malformed, which ``check(_:upTo:acceptsZero:)`` reports.
  let seconds: Double
  private let text: String

  init(argument: String) { (seconds, text) = (Settings.seconds(argument) ?? .nan, argument) }

  /// Traps beyond the range of `Duration`, so each command calls ``check(_:upTo:acceptsZero:)`` first.
  var duration: Duration { .seconds(seconds) }

  func check(_ option: String, upTo maximum: Duration, acceptsZero: Bool = false) throws {
    let limit = maximum.components.seconds
    let isValid = seconds > 0 && seconds <= Double(limit) || acceptsZero && seconds == 0
    let rule = Settings.durationRule(upTo: maximum, acceptsZero: acceptsZero)
    try reject(["\(option) \(rule), not \(text.printable(limit: 40).quoted)": !isValid])
  }
}
