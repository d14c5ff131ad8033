import Core
import FoundationEssentials
import Pages

extension Outcome {
  /// What the browser shows of an error.
  init(of error: AuthenticationError, at time: UnixTime) {
    if let result = error.result {
      // Less was granted than asked for, but the person is signed in.
      self = .signedIn(username: result.account.username, missingScopes: error.declinedScopes)
      return
    }
    guard error.code != .userCanceled else {
      self = .denied
      return
    }
    self = .failed(
      Failure(
        message: Self.sentence(error.message),
        hint: error.hint.map { Self.sentence($0.description) },
        code: error.reason?.rawValue ?? error.code.rawValue,
        time: Date(timeIntervalSince1970: Double(time)).formatted(.iso8601),
        correlationID: error.provider?.correlationID
      )
    )
  }

  /// A message as a sentence: messages begin in lower case and end without a full stop.
  private static func sentence(_ message: String) -> String {
    let text = message.prefix(1).uppercased() + message.dropFirst()
    return text.last.map { ".!?".contains($0) } ?? true ? text : text + "."
  }
}
