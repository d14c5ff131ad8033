import FoundationEssentials
import MSAuth

/// The lines that the two sides of `msauth login --via` exchange, after ``RelayGreeting`` and before the result.
enum RelayMessage: Codable, Sendable {
  /// From the browser's side: sign in with these arguments of `msauth login`.
  case begin(arguments: [String])
  /// What the user must know before signing in, at an MCP server; the answer is `nil` if the user can't be prompted.
  case confirm(statement: String)
  case confirmed(answer: Bool?)
  case listen(request: RedirectRequest)
  case listening(uri: String)
  case authorize(address: URL)
  case redirect(fields: [RedirectField])
  case show(outcome: SignInOutcome)
  /// From the browser's side: why it doesn't listen, or why no redirect arrived.
  case failed(error: RelayedError)

  /// A form post has at most 64 KiB, but escaping makes its fields longer.
  static let maximumLineBytes = 512 << 10

  init(_ line: [UInt8]) throws(Refusal) {
    do {
      self = try JSONDecoder().decode(RelayMessage.self, from: Data(line))
    } catch {
      throw Refusal("it isn't a known message")
    }
  }

  var line: [UInt8] { (try? JSONEncoder().encode(self)).map { [UInt8]($0) } ?? [] }
}

/// The first line of the side that signs in; the other side then sends ``RelayMessage/begin(arguments:)``.
enum RelayGreeting {
  /// Incremented when the two sides become incompatible.
  static let version: Int64 = 2
  static let member = "msauth_relay"
  static let sameVersion: Hint = "install the same version of msauth on both computers"
  /// After what the login shell may have printed without a line break.
  static var line: [UInt8] { Array(("\n" + #"{"\#(member)":\#(version)}"#).utf8) }

  /// The greeting in a line that may begin with what the login shell printed, such as a terminal's title.
  static func found(in line: [UInt8]) -> [UInt8]? {
    guard let start = line.firstRange(of: Array(#"{"\#(member)":"#.utf8))?.lowerBound,
      let end = line[start...].firstIndex(of: UInt8(ascii: "}"))
    else { return nil }
    return Array(line[start...end])
  }
}

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
