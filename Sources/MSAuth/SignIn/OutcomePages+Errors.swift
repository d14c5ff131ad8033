import Core
import Pages

extension OutcomePages {
  /// The pages of an application.
  init(of configuration: ClientConfiguration) {
    self.init(returningTo: configuration.returnPlace)
  }

  /// The page that explains in the browser why a sign-in failed.
  func page(for error: AuthenticationError) -> Page {
    switch error.code {
    case .userCanceled: denied()
    default:
      failed(
        what: Self.sentence(error.message),
        hint: error.remedy.map { Self.sentence($0.description) },
        code: error.reason?.rawValue ?? error.code.rawValue
      )
    }
  }

  /// A message as a sentence: messages begin in lower case and end without a full stop.
  private static func sentence(_ message: String) -> String {
    let text = message.prefix(1).uppercased() + message.dropFirst()
    return text.last.map { ".!?".contains($0) } ?? true ? text : text + "."
  }
}
