import ArgumentParser
import MSAuth

extension AuthenticationError {
  /// A mistake in the arguments; without a hint, the command's help is named.
  static func usage(_ message: String, reason: Reason = "usage", hint: Hint? = nil) -> AuthenticationError {
    AuthenticationError(.invalidParameter, message, reason: reason, hint: hint)
  }

  /// The parser's error, or the one that a validation threw, which the parser wraps in a type that isn't public.
  init(parserError: any Error) {
    let message = ParserMessage(MSAuthCommand.message(for: parserError))
    self = Self.thrown(in: parserError) ?? .usage(message.text.startingLowercase.printable(limit: 2000))
    if case .invalidValue(let option) = message.mistake { self.message = "\(option) \(self.message)" }
    if specificHint == nil { hint = Invocation.hint(for: message) }
  }

  private static func thrown(in value: Any) -> AuthenticationError? {
    if let error = value as? AuthenticationError { return error }
    return Mirror(reflecting: value).children.firstNonNil { thrown(in: $0.value) }
  }
}

/// Throws the first message whose condition is true.
func reject(mistakes: KeyValuePairs<String, Bool>) throws(AuthenticationError) {
  if let mistake = mistakes.first(where: \.value)?.key { throw .usage(mistake) }
}

/// Rejects options of which only one can be given.
func reject(together options: KeyValuePairs<String, Bool>) throws(AuthenticationError) {
  let given = options.filter(\.value).map(\.key)
  if given.count > 1 { try reject([given[1]: true], with: given[0]) }
}

/// Rejects the first of these options that was given with one that excludes it.
func reject(
  _ options: KeyValuePairs<String, Bool>,
  with option: String,
  hint: Hint? = nil
) throws(AuthenticationError) {
  guard let given = options.first(where: \.value)?.key else { return }
  throw .usage("\(option) can't be combined with \(given)", hint: hint)
}

/// Rejects an empty value, which may come from an unset variable in a script.
func checkNotEmpty(_ flags: [String: String?]) throws(AuthenticationError) {
  guard let name = flags.filter({ $0.value == "" }).keys.min() else { return }
  throw .usage("\(Invocation.optionName(for: name)) is empty")
}
