import MSAuth

/// A message of ArgumentParser, whose errors aren't public.
struct ParserMessage {
  /// The message in the words of msauth's own, without a suggestion that isn't similar to what was typed.
  let text: String
  /// The option that the command doesn't have, as it was typed.
  let unknownOption: String?
  /// The option whose value is invalid.
  let invalidOption: String?
  /// The word that the command doesn't take.
  let unexpectedArgument: String?

  init(_ message: String) {
    guard let match = message.wholeMatch(of: /(?s)Unknown option '(.+?)'(?:\. Did you mean '(.+)'\?)?/) else {
      let invalid = message.wholeMatch(of: /(?s)The value '(.*)' is invalid for '(-\S+).*/)
      (text, invalidOption) = invalid.map { ("\(String($0.1).quoted) isn't valid", String($0.2)) } ?? (message, nil)
      unknownOption = nil
      unexpectedArgument = message.wholeMatch(of: /(?s)Unexpected argument '(.+)'/).map { String($0.1) }
      return
    }
    (invalidOption, unexpectedArgument) = (nil, nil)
    func bare(_ option: Substring) -> String { String(option.trimmingPrefix { $0 == "-" }) }
    unknownOption = String(match.1)
    let isPlausible = match.2.map { nearest(to: bare(match.1), in: [bare($0)]) != nil } ?? true
    text = isPlausible ? message : "Unknown option '\(match.1)'"
  }
}
