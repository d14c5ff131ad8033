import MSAuthCore

/// Admits one browser: the link that opens the page works once and is exchanged for a cookie.
///
/// `xdg-open` gets the link as an argument, which other local users can read. The listener rejects their connections, and
/// a second use of the link fails.
struct OneTimeLink: Sendable {
  /// The length of each secret, in bytes.
  static let secretLength = 32
  static let pathPrefix = "/open/"

  private var ticket: Secret?
  private let session: Secret
  /// Contains the port: a browser sends 127.0.0.1's cookies to all its ports.
  let cookieName: String

  init(port: UInt16, ticket: [UInt8], session: [UInt8]) {
    self.ticket = Secret(Base64URL.encode(ticket))
    self.session = Secret(Base64URL.encode(session))
    cookieName = "msauth-app-\(port)"
  }

  /// `nil` once the link was used.
  var path: String? { ticket.map { Self.pathPrefix + $0.revealed } }

  /// Uses up the link and returns the cookie's header value; a wrong secret changes nothing.
  mutating func exchange(_ secret: Secret) -> String? {
    guard let ticket, ticket == secret else { return nil }
    self.ticket = nil
    // No `Secure`: there is no TLS on loopback. `Strict`: no other site's link or form sends it (RFC 6265bis §5.6.7).
    return "\(cookieName)=\(session.revealed); Path=/; HttpOnly; SameSite=Strict"
  }

  /// Whether any `Cookie` header field has the cookie; a server on another port can add one of the same name.
  func admits(_ headers: [String]) -> Bool {
    var isAdmitted = false
    for pair in headers.flatMap({ $0.split(separator: ";") }) {
      let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, parts[0] == cookieName else { continue }
      if Secret(String(parts[1])) == session { isAdmitted = true }
    }
    return isAdmitted
  }
}
