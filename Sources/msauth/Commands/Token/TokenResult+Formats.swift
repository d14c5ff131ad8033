import FoundationEssentials
import MSAuth

extension TokenResult {
  /// The access token, which must be one line for scripts.
  func tokenLine() throws(AuthenticationError) -> String { try Self.line(accessToken) }

  func idTokenLine() throws(AuthenticationError) -> String { try Self.line(requiredIDToken()) }

  func headerLine() throws(AuthenticationError) -> String { "Authorization: " + (try Self.line(authorizationHeader)) }

  /// A command that a shell evaluates.
  func exportLine() throws(AuthenticationError) -> String {
    let variables: [(name: String, value: String)] = [
      ("MSAUTH_ACCESS_TOKEN", try tokenLine()), ("MSAUTH_EXPIRES_ON", "\(expiresOn.unixTime)"),
      ("MSAUTH_USERNAME", account.username.printable()),
    ]
    return variables.exportCommand
  }

  private static func line(_ text: String) throws(AuthenticationError) -> String {
    if text.isPlain { return text }
    let message = "the token has control characters, which could mislead a script"
    throw AuthenticationError(.invalidResponse, message, reason: "token_not_printable", hint: "use --output json")
  }

  /// An `ExecCredential` on one line; `kubectl` caches it until it expires or the cluster rejects the token.
  func execCredential(
    _ version: ExecCredentialVersion = .v1,
    usingIDToken: Bool = false
  ) throws(AuthenticationError) -> String {
    let token = usingIDToken ? try requiredIDToken() : try bearerToken()
    let expiry = (usingIDToken ? idTokenExpiresOn : nil) ?? expiresOn
    let object: JSONValue = [
      "apiVersion": .string(version.rawValue),
      "kind": "ExecCredential",
      "status": ["token": .string(token), "expirationTimestamp": .string(expiry.formatted(.iso8601))],
    ]
    return object.serializedString()
  }

  /// The initial client response of SASL XOAUTH2, in Base64: `user=…^Aauth=Bearer …^A^A`.
  ///
  /// IMAP, POP and SMTP servers read it after `AUTHENTICATE XOAUTH2` or `AUTH XOAUTH2` (Google, “OAuth 2.0 Mechanism”).
  func xoauth2(user: String? = nil) throws(AuthenticationError) -> String {
    let user = try mailbox(user)
    return Self.base64("user=\(user)\u{1}auth=Bearer \(try bearerToken())\u{1}\u{1}")
  }

  /// The initial client response of SASL OAUTHBEARER, in Base64 (RFC 7628 §3.1).
  func oauthBearer(
    user: String? = nil,
    host: String? = nil,
    port: UInt16? = nil
  ) throws(AuthenticationError) -> String {
    // A comma would end the name (`saslname`, RFC 5801 §4).
    let name = try mailbox(user).utf8.reduce(into: [UInt8]()) { name, byte in
      switch byte {
      case UInt8(ascii: ","): name += Array("=2C".utf8)
      case UInt8(ascii: "="): name += Array("=3D".utf8)
      default: name.append(byte)
      }
    }
    var fields = ["n,a=\(String(decoding: name, as: UTF8.self)),"]
    if let host {
      try Self.checkPlain(host, "the host")
      fields.append("host=\(host)")
    }
    if let port { fields.append("port=\(port)") }
    fields.append("auth=Bearer \(try bearerToken())")
    return Self.base64(fields.joined(separator: "\u{1}") + "\u{1}\u{1}")
  }

  private func mailbox(_ given: String?) throws(AuthenticationError) -> String {
    guard let user = given ?? account.mailAddress, !user.isEmpty else {
      let name = account.username.printable()
      let message = "\(name) has no email address: neither the ID token nor the username contains one"
      let hint: Hint = "sign in with the scope email, or name the mailbox"
      throw AuthenticationError(.invalidParameter, message, reason: "mail_address_missing", hint: hint)
    }
    try Self.checkPlain(user, "the mailbox's address")
    return user
  }

  /// Rejects control characters: both mechanisms separate their fields with one, and can't escape it.
  private static func checkPlain(_ string: String, _ name: String) throws(AuthenticationError) {
    if string.isPlain { return }
    throw AuthenticationError(.invalidParameter, "\(name) has control characters", reason: "token_not_printable")
  }

  private static func base64(_ string: String) -> String { Data(string.utf8).base64EncodedString() }
}

extension String {
  /// Whether there are no ASCII control characters.
  fileprivate var isPlain: Bool { utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f } }
}
