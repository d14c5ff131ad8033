import Core

/// Lets one browser in: the link that opens the page is good once, and what it is exchanged for is good until the end.
///
/// The link goes through `xdg-open`, whose arguments everybody on the machine can read; who reads them comes too late, or
/// is another user and was turned away before.
struct OneTimeLink: Sendable {
  /// Bytes of each secret, out of anybody's reach.
  static let secretLength = 32

  private var ticket: Secret?
  private let session: Secret
  /// The cookie's name.
  ///
  /// A browser sends cookies of 127.0.0.1 to all its ports, so two apps need two names.
  let cookieName: String

  /// Makes a oneTimeLink that nobody has passed yet.
  ///
  /// - Parameters:
  ///   - port: The listener's.
  ///   - ticket: Unpredictable bytes for the link.
  ///   - session: Other unpredictable bytes for the cookie.
  init(port: UInt16, ticket: [UInt8], session: [UInt8]) {
    self.ticket = Secret(Base64URL.encode(ticket))
    self.session = Secret(Base64URL.encode(session))
    cookieName = "msauth-app-\(port)"
  }

  /// The path of the link; nil once it was used.
  var openingPath: String? { ticket.map { Self.openingPrefix + $0.revealed } }

  /// What the path of the link begins with.
  static let openingPrefix = "/open/"

  /// Uses the link up, if what came is its secret; anything else changes nothing.
  ///
  /// - Parameter offered: The last part of the path that was asked for.
  /// - Returns: The cookie's header value, or nil when the link is another or was used before.
  mutating func enter(with offered: Secret) -> String? {
    guard let ticket, ticket == offered else { return nil }
    self.ticket = nil
    // No `Secure`: there is no TLS on loopback. `Strict`: no other site's link or form carries it (RFC 6265bis §5.6.7).
    return "\(cookieName)=\(session.revealed); Path=/; HttpOnly; SameSite=Strict"
  }

  /// Whether a request's cookies include ours.
  ///
  /// - Parameter headers: The values of its `Cookie` header fields.
  /// - Returns: Whether any of them is ours: a neighbour on another port may add one of the same name, not take ours away.
  func admits(_ headers: [String]) -> Bool {
    var isOurs = false
    for pair in headers.flatMap({ $0.split(separator: ";") }) {
      let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, parts[0] == cookieName else { continue }
      if Secret(String(parts[1])) == session { isOurs = true }
    }
    return isOurs
  }
}
