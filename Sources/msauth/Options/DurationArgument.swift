import ArgumentParser
import MSAuthPreferences

/// A duration in seconds or another unit, such as `90`, `0.5`, `5m`, `8h` or `1d`.
struct DurationArgument: ExpressibleByArgument {
  let seconds: Double

  init?(argument: String) {
    guard let seconds = Settings.seconds(argument) else { return nil }
    self.seconds = seconds
  }

  /// Traps beyond the range of `Duration`, so each command calls ``check(_:upTo:acceptsZero:)`` first.
  var duration: Duration { .seconds(seconds) }

  func check(_ option: String, upTo maximum: Duration, acceptsZero: Bool = false) throws {
    let limit = maximum.components.seconds
    let isValid = seconds > 0 && seconds <= Double(limit) || acceptsZero && seconds == 0
    let range = acceptsZero ? "from 0 to \(limit)" : "above 0 and up to \(limit)"
    try refuse(["\(option) must be a number of seconds \(range), or a time such as 5m": !isValid])
  }
}
