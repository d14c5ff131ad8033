import Core

/// Admits one browser: the link that opens the page works once, and is exchanged for a cookie that works until the end.
///
/// The link goes through `xdg-open`, whose arguments every user on the machine can read. Another user's connection is
/// refused by the listener, and a second use of the link fails.
struct OneTimeLink: Sendable {
  /// The length of each secret, in bytes.
  static let secretLength = 32

  private var ticket: Secret?
  private let session: Secret
  /// The cookie's name.
  ///
  /// A browser sends cookies of 127.0.0.1 to all its ports, so two apps need two names.
  let cookieName: String

  /// Makes a link that has not been used.
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

  /// Consumes the link if the secret matches; otherwise changes nothing.
  ///
  /// - Parameter offered: The last component of the requested path.
  /// - Returns: The cookie's header value, or nil when the secret differs or the link was used before.
  mutating func enter(with offered: Secret) -> String? {
    guard let ticket, ticket == offered else { return nil }
    self.ticket = nil
    // No `Secure`: there is no TLS on loopback. `Strict`: no other site's link or form carries it (RFC 6265bis §5.6.7).
    return "\(cookieName)=\(session.revealed); Path=/; HttpOnly; SameSite=Strict"
  }

  /// Whether a request's cookies include ours.
  ///
  /// - Parameter headers: The values of its `Cookie` header fields.
  /// - Returns: Whether any of them is ours. A server on another port may add a cookie of the same name, but cannot remove ours.
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
