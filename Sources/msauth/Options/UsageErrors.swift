import ArgumentParser
import MSAuth
import Synchronization

/// Throws the first message whose condition is true.
func reject(_ mistakes: KeyValuePairs<String, Bool>, hint: Hint? = nil) throws {
  guard let mistake = mistakes.first(where: \.value)?.key else { return }
  if let hint { ArgumentError.report(mistake, hint: hint) }
  throw ValidationError(mistake)
}

/// Rejects the first of these options that was given with one that excludes it.
func reject(_ options: KeyValuePairs<String, Bool>, with option: String, hint: Hint? = nil) throws {
  guard let given = options.first(where: \.value)?.key else { return }
  try reject(["\(option) can't be combined with \(given)": true], hint: hint)
}

/// Rejects an empty value, which may come from an unset variable in a script.
func checkNotEmpty(_ flags: [String: String?]) throws {
  if let name = flags.filter({ $0.value == "" }).keys.min() { throw ValidationError("\(optionName(name)) is empty") }
}

/// An error of an argument, stored until parsing fails, because ArgumentParser's own errors have no hint.
enum ArgumentError {
  static let error = Mutex<AuthenticationError?>(nil)

  static func report(_ message: String, hint: Hint) { report(.usage(message, hint: hint)) }

  static func report(_ mistake: AuthenticationError) { error.withLock { $0 = mistake } }
}

extension AuthenticationError {
  static func usage(_ message: String, reason: Reason = "option_invalid", hint: Hint? = nil) -> AuthenticationError {
    AuthenticationError(.invalidParameter, message, reason: reason, hint: hint)
  }
}
