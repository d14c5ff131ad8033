import ArgumentParser

/// A duration in seconds or another unit, such as `90`, `0.5`, `5m`, `8h` or `1d`.
struct DurationArgument: ExpressibleByArgument {
  let seconds: Double

  init?(argument: String) {
    let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
    let unit = argument.last.flatMap { units[$0] }
    guard let count = Double(unit == nil ? argument[...] : argument.dropLast()) else { return nil }
    seconds = count * (unit ?? 1)
  }

  /// Traps beyond the range of `Duration`, so each command calls ``check(_:upTo:acceptsZero:)`` first.
  var duration: Duration { .seconds(seconds) }

  func check(_ option: String, upTo maximum: Duration, acceptsZero: Bool = false) throws {
    let limit = maximum.components.seconds
    let isValid = seconds > 0 && seconds <= Double(limit) || acceptsZero && seconds == 0
    let range = acceptsZero ? "from 0 to \(limit)" : "above 0 and up to \(limit)"
    try refuse(["\(option) must be a number of seconds \(range)": !isValid])
  }
}
