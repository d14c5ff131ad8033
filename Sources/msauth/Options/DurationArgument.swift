import ArgumentParser
import MSAuth
import MSAuthPreferences

/// A duration in seconds or another unit, such as `90`, `0.5`, `5m`, `8h` or `1d`.
struct DurationArgument: ExpressibleByArgument {
  /// `nil` if the argument is malformed, which ``check(_:upTo:acceptsZero:)`` reports.
  let duration: Duration?
  let text: String

  init(argument: String) {
    text = argument
    // A `Duration` traps on larger numbers.
    duration = Settings.seconds(argument).flatMap { abs($0) < 1e12 ? .seconds($0) : nil }
  }

  func check(_ option: String, upTo maximum: Duration, acceptsZero: Bool = false) throws {
    let isValid = duration.map { $0 > .zero && $0 <= maximum || acceptsZero && $0 == .zero } ?? false
    let rule = Settings.durationRule(upTo: maximum, acceptsZero: acceptsZero, not: text)
    if !isValid { throw AuthenticationError.usage("\(option) \(rule)") }
  }
}
