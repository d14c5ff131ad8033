import FoundationEssentials
import MSAuth

/// An error that one end of `msauth login --via` reports to the other.
struct RelayedError: Codable, Sendable {
  let code: String
  let reason: String?
  let message: String
  let hint: String?

  init(_ error: AuthenticationError) {
    (code, reason, message) = (error.code.rawValue, error.reason?.rawValue, error.message)
    hint = error.hint?.description
  }

  /// An error as `--json` prints it.
  init?(_ json: JSONValue) {
    guard let error = try? JSONDecoder().decode(RelayedError.self, from: Data(json.serialized())) else { return nil }
    self = error
  }

  var error: AuthenticationError {
    AuthenticationError(
      AuthenticationError.Code(rawValue: code) ?? .internalError,
      message.printable(),
      reason: reason.map { .init(rawValue: $0.printable(limit: 100)) },
      hint: hint.map { Hint($0) }
    )
  }
}
