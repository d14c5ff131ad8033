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

  /// Traps beyond the range of `Duration`, so each command checks ``seconds`` first.
  var duration: Duration { .seconds(seconds) }
}
