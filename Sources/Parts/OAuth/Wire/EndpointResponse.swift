package import MSAuthCore

/// A response of one of the provider's JSON endpoints.
package struct EndpointResponse: Sendable {
  let status: Int
  let body: [UInt8]
  /// Seconds.
  private let retryAfter: Int64?

  package init(status: Int, retryAfter: Int64? = nil, body: [UInt8]) {
    self.status = status
    self.retryAfter = retryAfter
    self.body = body
  }

  /// The members of a successful response, whatever its media type; throws the provider's error, or what else it returned.
  func members(limit: Int) throws(AuthenticationError) -> CheckedMembers {
    // RFC 6585 §6: a login page of the network.
    guard status != 511 else { throw AuthenticationError.unexpectedPage("HTTP status 511") }
    // The body of these doesn't concern the request (RFC 6585 §4).
    guard !status.isTransientStatus else {
      throw AuthenticationError.serverUnavailable(status: status, retryAfter: retryAfter)
    }
    let json = Self.json(body, limit: limit)
    // Errors first, whatever the status: some providers send them with 200.
    if isSuccess || status.isRejectionStatus, let json, let error = ProviderError(json: json) {
      throw AuthenticationError(error)
    }
    guard isSuccess else {
      // Following a redirect would send the code or the token elsewhere.
      guard !status.isRedirectStatus else {
        throw AuthenticationError.unexpectedPage("it is a redirect (HTTP status \(status)), which isn't followed")
      }
      throw AuthenticationError.invalidResponse("HTTP status \(status) without an OAuth error")
    }
    guard let json else {
      if Self.isPage(body) { throw AuthenticationError.unexpectedPage("it is a web page") }
      throw AuthenticationError.invalidResponse("it isn't a JSON object with unique members")
    }
    return CheckedMembers(json, makeError: AuthenticationError.invalidResponse)
  }

  /// Throws if the provider rejected a refresh without an OAuth error.
  package func checkRefresh() throws(AuthenticationError) {
    // The provider's errors have status 400 or 401 (RFC 6749 §5.2). A page with another status comes from a proxy, and so
    // does every 407.
    let isProvider = status == 400 || status == 401 || status.isRejectionStatus && status != 407 && !Self.isPage(body)
    guard isProvider, ProviderError(parsing: body) == nil else { return }
    let cause = "the provider rejected the refresh token (HTTP status \(status) without an OAuth error)"
    let message = AuthenticationError.signInAgain + cause
    throw AuthenticationError(.interactionRequired, message, reason: .refreshTokenRefused, hint: .signIn)
  }

  /// The members of a body, with invalid UTF-8 replaced: a name in Latin-1 must not make the tokens unusable.
  static func json(_ body: [UInt8], limit: Int) -> JSONValue.Object? {
    try? JSONValue.object(parsing: String(decoding: body, as: UTF8.self).utf8, options: .strict(maximumSize: limit))
  }

  var isSuccess: Bool { status.isSuccessStatus }

  /// Whether a body is a page for a browser: JSON doesn't begin with `<`.
  static func isPage(_ body: [UInt8]) -> Bool {
    body.first { !"\u{FEFF} \t\r\n".utf8.contains($0) } == UInt8(ascii: "<")
  }
}

extension EndpointResponse: Redacted {
  package var description: String { "EndpointResponse(\(status))" }
}
