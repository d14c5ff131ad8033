import MSAuth

/// A message of ArgumentParser, whose errors aren't public.
struct ParserMessage {
  enum Mistake: Equatable {
    case unknownOption(String), missingOption(String), missingValue(option: String), invalidValue(option: String)
    case unexpectedArgument(String)
  }

  /// The message in the words of msauth's own, without a suggestion that isn't similar to what was typed.
  let text: String
  let mistake: Mistake?

  init(_ message: String) {
    if let match = message.wholeMatch(of: /(?s)Unknown option '(.+?)'(?:\. Did you mean '(.+)'\?)?/) {
      func bare(_ option: Substring) -> String { String(option.trimmingPrefix { $0 == "-" }) }
      let isPlausible = match.2.map { nearest(to: bare(match.1), in: [bare($0)]) != nil } ?? true
      text = isPlausible ? message : "Unknown option '\(match.1)'"
      mistake = .unknownOption(String(match.1))
    } else if let match = message.wholeMatch(of: /(?s)The value '(.*)' is invalid for '(-\S+).*/) {
      (text, mistake) = ("\(String(match.1).quoted) isn't valid", .invalidValue(option: String(match.2)))
    } else if let match = message.wholeMatch(of: /(?s)(Missing value for|Missing expected argument) '(-\S+).*/) {
      let option = String(match.2)
      (text, mistake) = (message, match.1.hasSuffix("for") ? .missingValue(option: option) : .missingOption(option))
    } else {
      let match = message.wholeMatch(of: /(?s)Unexpected argument '(.+)'/)
      (text, mistake) = (message, match.map { .unexpectedArgument(String($0.1)) })
    }
  }
}
