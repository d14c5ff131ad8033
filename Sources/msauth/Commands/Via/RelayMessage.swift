import FoundationEssentials
import MSAuth

/// A line that one end of `msauth login --via` sends the other, after ``RelayGreeting`` and before the result.
///
/// The *local* end is on the computer with the browser; the *remote* end signs in.
enum RelayMessage: Codable, Sendable {
  /// From the local end: sign in with these arguments of `msauth login`.
  case begin(arguments: [String])
  /// A statement for the user to confirm before signing in to an MCP server.
  case confirm(statement: String)
  /// `nil` if the user can't be prompted.
  case confirmed(answer: Bool?)
  case listen(request: RedirectRequest)
  case listening(uri: String)
  case authorize(address: URL)
  case redirect(fields: [RedirectField])
  case show(outcome: SignInOutcome)
  /// From the local end: why it doesn't listen, or why no redirect arrived.
  case failed(error: RelayedError)

  /// A form post has at most 64 KiB, but escaping makes its fields longer.
  static let maximumLineBytes = 512 << 10

  init(_ line: [UInt8]) throws(Rejection) {
    do {
      self = try JSONDecoder().decode(RelayMessage.self, from: Data(line))
    } catch {
      throw Rejection("it isn't a known message")
    }
  }

  var line: [UInt8] { (try? JSONEncoder().encode(self)).map { [UInt8]($0) } ?? [] }
}
