import MSAuth

/// A message of ArgumentParser, whose errors aren't public.
struct ParserMessage {
  enum Mistake: Equatable {
    /// With a similar option of the command.
    case unknownOption(String, similar: String?)
    case missingOption(String), missingValue(option: String), invalidValue(option: String), unexpectedArgument(String)
  }

  /// What is wrong, in the words of msauth's own messages, if the mistake is known.
  let text: String
  let mistake: Mistake?

  init(_ message: String) {
    if let match = message.wholeMatch(of: /(?s)Unknown option '(.+?)'(?:\. Did you mean '(.+)'\?)?/) {
      let option = String(match.1)
      func bare(_ option: String) -> String { String(option.trimmingPrefix { $0 == "-" }) }
      // The parser always suggests an option, however different.
      let similar = match.2.map(String.init).flatMap { nearest(to: bare(option), in: [bare($0)]) == nil ? nil : $0 }
      (text, mistake) = ("unknown option \(option.quoted)", .unknownOption(option, similar: similar))
    } else if let match = message.wholeMatch(of: /(?s)The value '(.*)' is invalid for '(-\S+).*/) {
      (text, mistake) = ("\(String(match.1).quoted) isn't valid", .invalidValue(option: String(match.2)))
    } else if let match = message.wholeMatch(of: /(?s)Missing value for '(-\S+).*/) {
      (text, mistake) = ("\(match.1) needs a value", .missingValue(option: String(match.1)))
    } else if let match = message.wholeMatch(of: /(?s)Missing expected argument '(-\S+)(.*)'/) {
      (text, mistake) = ("missing option \(match.1)\(match.2)", .missingOption(String(match.1)))
    } else if let match = message.wholeMatch(of: /(?s)\d+ unexpected arguments: '(.+)'/) {
      let arguments = String(match.1).split(separator: "', '").map { String($0).quoted }
      (text, mistake) = ("unexpected arguments \(arguments.joined(separator: ", "))", nil)
    } else if let match = message.wholeMatch(of: /(?s)Unexpected argument '(.+)'/) {
      let argument = String(match.1)
      (text, mistake) = ("unexpected argument \(argument.quoted)", .unexpectedArgument(argument))
    } else {
      let match = message.wholeMatch(of: /(?s)Missing expected argument '(.+)'/)
      (text, mistake) = (match.map { "missing argument \($0.1)" } ?? message, nil)
    }
  }
}
