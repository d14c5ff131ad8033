import Pages

extension Page {
  /// The page that tells a person in the browser why a sign-in did not succeed.
  init(telling error: AuthenticationError) {
    switch error.code {
    case .userCanceled:
      self = .denied()
    default:
      self = .failed(
        what: Self.sentence(error.message),
        hint: error.hint.map { Self.sentence($0) },
        code: error.reason ?? error.code.rawValue
      )
    }
  }

  /// A message as a sentence: the terminal's begin small and end without a full stop.
  private static func sentence(_ message: String) -> String {
    let text = message.prefix(1).uppercased() + message.dropFirst()
    return text.last.map { ".!?".contains($0) } ?? true ? text : text + "."
  }
}
